"""The seat page, answered from rendered copies."""

from django.utils.html import escape

from reservations import gate
from reservations.views.page_state import INSIDE, offer_of, place_json
from ticketing.accounts.authentication import identify
from ticketing.accounts.selectors import Caller
from ticketing.core.browsers import browser_of
from ticketing.core.fast_path.application import FallThrough
from ticketing.core.fast_path.copies import Copy
from ticketing.core.fast_path.pages import MEMBER, GetCopy, Page
from ticketing.core.fast_path.requests import ApiRequest
from waiting_queue import services as queue


async def seats_without_own(
    request: ApiRequest, caller: Caller, get: GetCopy
) -> tuple[Copy, dict[str, str]]:
    """People with seats of their own have a page of their own. A copy knows who they are; those who
    attempted a hold since it was rendered are known by their attempt."""
    event_id, person, values = request.path_params["pk"], str(caller.id), dict[str, str]()
    has_attempted = gate.ahas_attempted(event_id, caller.id)
    copy = await get(MEMBER)
    if copy.facts.get("mode") == "line":
        browser = browser_of(request.headers).known_mark
        standing = await queue.astanding(
            event_id=event_id, person=person, now=request.now, browser=browser
        )
        if standing.is_elsewhere(browser):
            raise FallThrough()
        if standing.state == "admitted":
            copy = await get(INSIDE)
            place = place_json(event_id, person, standing, request.now, browser)
            values["place"] = escape(place)
            offer = offer_of(copy.facts.get("offers", {}), standing.lane)
            values |= {name: escape(text) for name, text in offer.items()}
    if await has_attempted or person in copy.facts.get("owners", ()):
        raise FallThrough()
    return copy, values


PAGES = [Page(path="events/<int:pk>/seats/", identify=identify, personal=seats_without_own)]
