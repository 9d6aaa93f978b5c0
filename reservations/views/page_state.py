"""What one person may do on an event's seat page now."""

import json
from dataclasses import dataclass, field
from datetime import datetime
from random import random
from typing import Any

from reservations import selectors
from reservations.models import Reservation
from reservations.selectors import OwnSeat
from ticketing.accounts.selectors import Caller
from ticketing.core.fast_path.marks import Marks
from ticketing.events.models import Event
from waiting_queue import errors as queue_errors
from waiting_queue import selectors as queues
from waiting_queue import services as queue

# The variant of the copy for people whose turn it is; and a person who is in no line.
INSIDE, NOBODY = "inside", "0"
# The mode if Redis has no line, by the reason.
MODE_WITHOUT_LINE: dict[type[Exception], str] = {
    queue_errors.NoQueue: "choose",
    queue_errors.QueueOver: "choose",
    queue_errors.QueueNotOpen: "soon",
}


@dataclass(frozen=True)
class PageState:
    """`mode`: choose; or why not: look, log_in, line, elsewhere, soon, restoring."""

    mode: str
    event: Event
    now: datetime
    own: list[OwnSeat] = field(default_factory=list)
    place: str = ""  # in the queue, as JSON, for the script that renews the pass
    offer: str = ""  # what their lane of the line may buy, in words; empty: everything
    offer_hidden: str = " hidden"

    @property
    def may_choose(self) -> bool:
        return self.mode == "choose"

    @property
    def left(self) -> int:
        """How many more seats this person may hold."""
        return max(self.event.seats_per_person - len(self.own), 0)

    @property
    def quantities(self) -> range:
        return range(1, self.left + 1)

    @property
    def basket(self) -> list[OwnSeat]:
        """Seats that are held or being paid for."""
        return [seat for seat in self.own if seat.is_in_basket]

    @property
    def deadline(self) -> datetime | None:
        """When the first hold expires; holds being paid for do not."""
        held = [seat for seat in self.basket if seat.state == Reservation.State.HELD]
        return min((seat.deadline for seat in held), default=None)

    @property
    def bought(self) -> list[OwnSeat]:
        return [seat for seat in self.own if not seat.is_in_basket]

    @property
    def own_ids(self) -> list[int]:
        return [seat.id for seat in self.own]


def page_state(
    event: Event, caller: Caller | None, now: datetime, *, browser: str = ""
) -> PageState:
    """Also renews the pass of an admitted fan."""
    if caller is None:
        return PageState(_anonymous_mode(event), event, now)
    mode, place, lane = _mode_and_place(event, str(caller.id), now, browser)
    own = selectors.own_seats(event_id=event.pk, fan_id=caller.id, now=now)
    offers = {} if lane is None else queues.lane_offers(event.pk)
    return PageState(mode, event, now, own, place, **offer_of(offers, lane))


def copied_page_state(event: Event, marks: Marks, now: datetime) -> PageState:
    """What all people without seats of their own may do, by the variant of the copy."""
    if not marks.variant:
        return PageState(_anonymous_mode(event), event, now)
    is_inside = marks.variant == INSIDE and event.state == Event.State.ON_SALE
    mode = "choose" if is_inside else _mode_and_place(event, NOBODY, now)[0]
    marks.facts["mode"] = mode
    marks.facts["offers"] = queues.lane_offers(event.pk) if is_inside else {}
    marks.facts["owners"] = {str(fan): 1 for fan in selectors.fans_with_seats(event.pk)}
    names = ("place", "offer", "offer_hidden") if is_inside else ()
    personal: dict[str, Any] = {name: marks.mark(name) for name in names}
    return PageState(mode, event, now, **personal)


def offer_of(offers: dict[str, str], lane: int | None) -> dict[str, str]:
    """Return what somebody of this lane reads about what they may buy."""
    offer = offers.get(str(lane), "")
    return {"offer": offer, "offer_hidden": "" if offer else " hidden"}


def place_json(event_id: int, person: str, standing: Any, now: datetime, browser: str) -> str:
    return json.dumps(
        queues.standing_body(
            event_id=event_id,
            person=person,
            standing=standing,
            now=now,
            jitter=random(),  # noqa: S311 - spreads polls, protects nothing
            browser=browser,
        )
    )


def _anonymous_mode(event: Event) -> str:
    if event.state != Event.State.ON_SALE:
        return "look"
    mode = MODE_WITHOUT_LINE.get(queue.no_line_reason(event.pk), "line")
    return "log_in" if mode == "choose" else mode


def _mode_and_place(
    event: Event, person: str, now: datetime, browser: str = ""
) -> tuple[str, str, int | None]:
    """Also the lane that they came through; None if the event has no lanes."""
    if event.state != Event.State.ON_SALE:
        return "look", "", None
    try:
        found = queue.standing(event_id=event.pk, person=person, now=now, browser=browser)
    except queue_errors.QueueUnavailable:
        return MODE_WITHOUT_LINE.get(queue.no_line_reason(event.pk), "restoring"), "", None
    if found.is_elsewhere(browser):
        return "elsewhere", "", None
    place = place_json(event.pk, person, found, now, browser)
    lane = found.lane if found.share else None
    return ("choose" if found.state == "admitted" else "line"), place, lane
