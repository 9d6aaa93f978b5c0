"""Finds out what the waiting page shows to a person at a moment."""

from dataclasses import replace
from datetime import datetime
from random import random
from typing import Any

from django.utils.translation import gettext

from ticketing.accounts.selectors import Caller
from ticketing.core.errors import DomainError, Unavailable
from waiting_queue import errors, selectors, services
from waiting_queue.models import SaleQueue
from waiting_queue.store import Standing
from waiting_queue.views.page_state import PageState

State = SaleQueue.State
# Page states named otherwise than the state of the person.
NAMES = {"none": "join"}
# Of those, the states in which so many people are that they share copies of the page.
COPIED = frozenset({"lobby", "waiting"})
# Refusals of a lane that the page shows beside its form.
LANE_REFUSALS = (
    errors.LaneNotOpen,
    errors.LaneKeyUnknown,
    errors.LaneKeyUsed,
    errors.NotOnLaneList,
    errors.InAnotherLane,
)


def page_state_for(
    queue: SaleQueue, caller: Caller | None, now: datetime, *, browser: str = ""
) -> PageState:
    if queue.state in (State.SCHEDULED, State.CLOSED):
        return PageState(queue.state, queue, now, **_lane_fields(queue.pk))
    if caller is None:
        return _anonymous_page_state(queue, now)
    return _person_page_state(queue, str(caller.id), now, browser)


def page_state_of_refusal(
    queue: SaleQueue, refusal: DomainError, now: datetime, *, person: str
) -> PageState:
    """Return the page state that explains a refusal better than the error page would."""
    if isinstance(refusal, LANE_REFUSALS):
        return replace(_person_page_state(queue, person, now), lane_refusal=refusal)
    if isinstance(refusal, errors.InAnotherLine):
        others = selectors.public_queues(refusal.details["events"])
        return PageState("elsewhere", queue, now, other_queues=others)
    why, appeal = refusal.details["why"], _appeal_fields(queue.pk, person)
    return PageState("blocked", queue, now, why=why, **appeal)


def _anonymous_page_state(queue: SaleQueue, now: datetime) -> PageState:
    overview = selectors.overview(queue, now=now)
    if not overview.reachable:
        raise Unavailable()
    if not overview.known:
        raise errors.QueueUnavailable()
    return PageState(
        "join",
        queue,
        now,
        waiting=overview.waiting,
        lobby=overview.lobby,
        announcements=services.announcements(queue.pk),
        **_lane_fields(queue.pk),
    )


def _person_page_state(
    queue: SaleQueue, person: str, now: datetime, browser: str = ""
) -> PageState:
    standing = services.standing(event_id=queue.pk, person=person, now=now, browser=browser)
    blocked = standing.state == "blocked"
    may_appeal = blocked or standing.demoted_why
    return PageState(
        NAMES.get(standing.state, standing.state),
        queue,
        now,
        waiting=standing.waiting,
        lobby=standing.lobby,
        standing=page_standing(queue.pk, person, standing, now, browser=browser),
        **_lane_fields(queue.pk),
        absence_seconds=standing.absence_ms // 1000,
        announcements=services.announcements(queue.pk),
        why=selectors.block_reason(event_id=queue.pk, person=person) if blocked else "",
        **(_appeal_fields(queue.pk, person) if may_appeal else {}),
    )


def _lane_fields(event_id: int) -> dict[str, Any]:
    lanes = selectors.lanes_of(event_id)
    names = {0: gettext("Open sale")} | {lane.number: lane.name for lane in lanes}
    offers = {lane.number: selectors.offer_label(lane) for lane in lanes}
    waiting = gettext("You are waiting in “%(lane)s”.")
    labels = {
        str(number): f"{waiting % {'lane': name}} {offers.get(number, '')}".strip()
        for number, name in names.items()
    }
    return {"lanes": lanes, "lane_labels": labels if lanes else {}}


def page_standing(
    event_id: int, person: str, standing: Standing, now: datetime, *, browser: str = ""
) -> dict[str, Any] | None:
    """The standing as the page's script reads it; None for somebody who is not in the line."""
    if standing.state == "none":
        return None
    jitter = random()  # noqa: S311 - spreads polls, guards nothing
    body = selectors.standing_body(
        event_id=event_id,
        person=person,
        standing=standing,
        now=now,
        jitter=jitter,
        browser=browser,
    )
    # Whoever is about to be called is not kept waiting.
    is_waiting = standing.state == "waiting"
    after = services.socket_after_ms(event_id, standing) if is_waiting else 0
    return body | {"socket_after_ms": after}


def copied_page_state(queue: SaleQueue, variant: str, now: datetime) -> PageState:
    """The state that a copy of the page shows: before joining, or to anybody in line or lobby."""
    page_state = page_state_for(queue, None, now)
    if variant in COPIED and page_state.name == "join":
        return replace(page_state, name=variant)
    return page_state


def _appeal_fields(event_id: int, person: str) -> dict[str, Any]:
    last = selectors.last_appeal(event_id=event_id, person=person)
    may_appeal = selectors.may_appeal(last, event_id=event_id, person=person)
    return {"appeal": last, "may_appeal": may_appeal}
