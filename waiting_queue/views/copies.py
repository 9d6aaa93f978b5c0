"""The queue's pages that are answered from rendered copies."""

from typing import Any, cast

from django.utils import translation
from django.utils.html import escape

from ticketing.accounts.authentication import identify
from ticketing.accounts.selectors import Caller
from ticketing.core.fast_path.application import FallThrough
from ticketing.core.fast_path.copies import Copy
from ticketing.core.fast_path.pages import MEMBER, GetCopy, Page
from ticketing.core.fast_path.requests import ApiRequest
from waiting_queue import services
from waiting_queue.models import SaleQueue
from waiting_queue.store import Standing
from waiting_queue.views.page_state import PageState
from waiting_queue.views.page_state_lookup import COPIED, page_standing

Values = dict[str, str]


async def line_page(request: ApiRequest, caller: Caller, get: GetCopy) -> tuple[Copy, Values]:
    """Copies for people who may join, wait, or are in the lobby; the few others have their own."""
    copy, person = await get(MEMBER), str(caller.id)
    if copy.facts.get("page_state") != "join":
        return copy, {}
    event_id = request.path_params["pk"]
    standing = await services.astanding(event_id=event_id, person=person, now=request.now)
    if standing.state == "none":
        return copy, {}
    if standing.state not in COPIED:
        raise FallThrough()
    copy = await get(standing.state)
    if copy.facts.get("page_state") != standing.state:
        raise FallThrough()
    return copy, _own_values(request, person, standing, copy.facts)


def _own_values(
    request: ApiRequest, person: str, standing: Standing, facts: dict[str, Any]
) -> Values:
    """As the view has them, with the announcements of the copy."""
    event_id = request.path_params["pk"]
    page_state = PageState(
        name=standing.state,
        queue=cast(SaleQueue, None),  # not needed for what is personal
        now=request.now,
        waiting=facts["waiting"],
        standing=page_standing(event_id, person, standing, request.now),
        announcements=facts["announcements"],
        lane_labels=facts["lane_labels"],
    )
    with translation.override(request.language):
        return {name: escape(value) for name, value in page_state.own_values.items()}


async def draw_page(request: ApiRequest, caller: Caller, get: GetCopy) -> tuple[Copy, Values]:
    """With a draw by lot the page names the reader's own entry, and is theirs alone."""
    copy = await get(MEMBER)
    if copy.facts.get("names_people"):
        raise FallThrough()
    return copy, {}


PAGES = [
    Page(
        path="events/<int:pk>/queue/",
        identify=identify,
        personal=line_page,
        # The second is how the page's script fetches the part that changes.
        queries=frozenset({"", "part=1"}),
    ),
    Page(path="events/<int:pk>/queue/colours.css"),
    Page(path="events/<int:pk>/draw/", identify=identify, personal=draw_page),
]
