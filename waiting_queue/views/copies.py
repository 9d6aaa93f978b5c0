"""The queue's pages that are answered from rendered copies."""

from ticketing.accounts.authentication import identify
from ticketing.accounts.selectors import Caller
from ticketing.core.fast_path.application import FallThrough
from ticketing.core.fast_path.copies import Copy
from ticketing.core.fast_path.pages import MEMBER, GetCopy, Page
from ticketing.core.fast_path.requests import ApiRequest
from waiting_queue import services


async def line_before_joining(
    request: ApiRequest, caller: Caller, get: GetCopy
) -> tuple[Copy, dict[str, str]]:
    """People who are or were in the line have a page of their own."""
    copy = await get(MEMBER)
    if copy.facts.get("page_state") == "join":
        event_id, person = request.path_params["pk"], str(caller.id)
        standing = await services.astanding(event_id=event_id, person=person, now=request.now)
        if standing.state != "none":
            raise FallThrough()
    return copy, {}


async def draw_without_entries(
    request: ApiRequest, caller: Caller, get: GetCopy
) -> tuple[Copy, dict[str, str]]:
    """With a draw by lot the page names the reader's own entry."""
    copy = await get(MEMBER)
    if copy.facts.get("names_people"):
        raise FallThrough()
    return copy, {}


PAGES = [
    Page(
        path="events/<int:pk>/queue/",
        identify=identify,
        personal=line_before_joining,
        # The second is how the page's script fetches the part that changes.
        queries=frozenset({"", "part=1"}),
    ),
    Page(path="events/<int:pk>/draw/", identify=identify, personal=draw_without_entries),
]
