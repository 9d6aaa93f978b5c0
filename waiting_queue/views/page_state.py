"""The state of the waiting page for one person at one moment."""

import json
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from random import random
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import get_language

from ticketing.accounts.selectors import Caller
from ticketing.core import clock
from ticketing.core.errors import DomainError, Unavailable
from ticketing.core.live.socket_slots import socket_slots
from waiting_queue import errors, selectors, services
from waiting_queue.models import BlockAppeal, SaleQueue
from waiting_queue.selectors.outlook import chance_of
from waiting_queue.store import Standing
from waiting_queue.views import labels

State = SaleQueue.State
JOINABLE = frozenset({State.LOBBY, State.OPEN, State.PAUSED})
# Page states named otherwise than the state of the person.
NAMES = {"none": "join"}
# Page states in which the script stays connected to the server.
LIVE = frozenset({"lobby", "waiting", "ready"})
# Of those, the states in which so many people are that they share copies of the page.
COPIED = frozenset({"lobby", "waiting"})
# Seconds between two reloads of a page without a script; faster ones make buttons hard to press.
MIN_REFRESH, LIVE_REFRESH, FULL_REFRESH = 5, 10, 60
# A page for a queue that opens later than this does not reload.
REFRESH_WINDOW = timedelta(minutes=10)


@dataclass(frozen=True)
class PageState:
    """`name` selects the template; `waiting` and `lobby` are counts of people.

    `standing` is the API's JSON, `announcements` what everybody in line is sent.
    """

    name: str
    queue: SaleQueue
    now: datetime
    waiting: int = 0
    lobby: int = 0
    standing: dict[str, Any] | None = None
    absence_seconds: int = 0
    announcements: dict[str, Any] = field(default_factory=dict)
    why: str = ""
    other_queues: list[SaleQueue] = field(default_factory=list)
    appeal: BlockAppeal | None = None
    may_appeal: bool = False

    @property
    def template(self) -> str:
        return f"queue/line/_{self.name}.html"

    @property
    def is_live(self) -> bool:
        return self.name in LIVE

    @property
    def queue_state(self) -> str:
        """The line in Redis knows the state earlier than the row that was read."""
        return self.standing["queue_state"] if self.standing else str(self.queue.state)

    @property
    def is_full(self) -> bool:
        return self.waiting + self.lobby >= self.queue.capacity

    @property
    def can_join(self) -> bool:
        return self.queue.state in JOINABLE and not self.is_full

    @property
    def announcements_json(self) -> str:
        return json.dumps(self.announcements)

    @property
    def eta_label(self) -> str:
        return labels.eta_label(self.standing) if self.standing else ""

    @property
    def eta_range_label(self) -> str:
        return labels.eta_range_label(self.standing) if self.standing else ""

    @property
    def before(self) -> int:
        """Return how many people got a number before this one."""
        return max((self.standing or {}).get("number") or 1, 1) - 1

    @property
    def own_values(self) -> dict[str, str]:
        """What the page of somebody in the line says about them, by the names of its marks."""
        standing = self.standing or {}
        ahead, number = standing.get("ahead"), standing.get("number")
        values = {
            "standing": json.dumps(self.standing),
            "ahead": "" if ahead is None else intcomma(ahead),
            "aheadhidden": " hidden" if ahead == 0 else "",
            "aheadlabel": self.ahead_label,
            "before": str(self.before or 1),
            "gone": str(self.gone if self.before else 1),
            "gonelabel": self.gone_label,
            "gonehidden": "" if self.before else " hidden",
            "eta": self.eta_label,
            "etarange": self.eta_range_label,
            "number": "" if number is None else intcomma(number),
            "total": intcomma(standing.get("total", self.waiting)),
            "lobby": intcomma(standing.get("lobby", self.lobby)),
        }
        for place, grade in enumerate(self.chances):
            values |= {f"chance{place}": grade["chance"], f"label{place}": str(grade["label"])}
        return values

    @property
    def gone(self) -> int:
        """Return how many of those are no longer ahead."""
        return max(self.before - ((self.standing or {}).get("ahead") or 0), 0)

    @property
    def ahead_label(self) -> str:
        ahead = (self.standing or {}).get("ahead") or 0
        return str(labels.SCRIPT_LABELS[{0: "ahead-none", 1: "ahead-one"}.get(ahead, "ahead-many")])

    @property
    def gone_label(self) -> str:
        numbers = {"gone": intcomma(self.gone), "before": intcomma(self.before)}
        return str(labels.SCRIPT_LABELS["gone"]).format(**numbers)

    @property
    def deadline(self) -> datetime | None:
        text = (self.standing or {}).get("deadline")
        return datetime.fromisoformat(text) if text else None

    @property
    def chances(self) -> list[dict[str, Any]]:
        """Return the outlook of each grade; newcomers would be behind everybody who waits."""
        ahead = (self.standing or {}).get("ahead")
        ahead = self.waiting if ahead is None else ahead
        return [_chance(grade, ahead) for grade in self.announcements.get("grades", ())]

    @property
    def absence_label(self) -> str:
        return labels.exact_duration_label(self.absence_seconds or self.queue.absence_seconds)

    @property
    def claim_label(self) -> str:
        return labels.exact_duration_label(self.queue.claim_seconds)

    @property
    def refresh_after(self) -> int | None:
        """Return the seconds until a page without a script reloads."""
        if self.is_live:
            return LIVE_REFRESH
        if self.name == "scheduled":
            return _refresh_before(self.queue.lobby_opens_at or self.queue.opens_at, self.now)
        return FULL_REFRESH if self.name == "join" and self.is_full else None


def page_state_for(queue: SaleQueue, caller: Caller | None, now: datetime) -> PageState:
    if queue.state in (State.SCHEDULED, State.CLOSED):
        return PageState(queue.state, queue, now)
    if caller is None:
        return _anonymous_page_state(queue, now)
    return _person_page_state(queue, str(caller.id), now)


def page_state_of_refusal(
    queue: SaleQueue, refusal: DomainError, now: datetime, *, person: str
) -> PageState:
    """Return the page state that explains a refusal better than the error page would."""
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
    )


def _person_page_state(queue: SaleQueue, person: str, now: datetime) -> PageState:
    standing = services.standing(event_id=queue.pk, person=person, now=now)
    blocked = standing.state == "blocked"
    return PageState(
        NAMES.get(standing.state, standing.state),
        queue,
        now,
        waiting=standing.waiting,
        lobby=standing.lobby,
        standing=page_standing(queue.pk, person, standing, now),
        absence_seconds=standing.absence_ms // 1000,
        announcements=services.announcements(queue.pk),
        why=selectors.block_reason(event_id=queue.pk, person=person) if blocked else "",
        **(_appeal_fields(queue.pk, person) if blocked else {}),
    )


def _socket_after_ms(standing: Standing) -> int:
    """Whoever is about to be called is not kept waiting."""
    return socket_slots.take(clock.monotonic()) if standing.state == "waiting" else 0


def page_standing(
    event_id: int, person: str, standing: Standing, now: datetime
) -> dict[str, Any] | None:
    """The standing as the page's script reads it; None for somebody who is not in the line."""
    if standing.state == "none":
        return None
    jitter = random()  # noqa: S311 - spreads polls, guards nothing
    body = selectors.standing_body(
        event_id=event_id, person=person, standing=standing, now=now, jitter=jitter
    )
    return body | {"socket_after_ms": _socket_after_ms(standing)}


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


def _chance(grade: dict[str, Any], ahead: int) -> dict[str, Any]:
    language = (get_language() or "ko")[:2]
    chance = chance_of(grade, ahead)
    name = grade.get(f"name_{language}") or grade["name_ko"]
    free = str(labels.SCRIPT_LABELS["free"]).format(n=intcomma(grade["free"]))
    label = labels.SCRIPT_LABELS[chance]
    return {"name": name, "free_label": free, "chance": chance, "label": label}


def _refresh_before(moment: datetime, now: datetime) -> int | None:
    left = moment - now
    if left > REFRESH_WINDOW:
        return None
    return int(min(FULL_REFRESH, max(MIN_REFRESH, left.total_seconds() + 1)))
