"""What one person sees of a line at one moment."""

import json
import math
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import random
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import get_language

from ticketing.accounts.selectors import Caller
from ticketing.core.errors import DomainError, Unavailable
from waiting_queue import errors, selectors, services
from waiting_queue.models import BlockAppeal, SaleQueue
from waiting_queue.store import Standing
from waiting_queue.views import words

State = SaleQueue.State
JOINABLE = frozenset({State.LOBBY, State.OPEN, State.PAUSED})
SCENES = {"none": "join"}
# Scenes in which the page stays in touch with the server.
LIVE = frozenset({"lobby", "waiting", "ready"})
# Without a script: seconds between two looks. A page that jumps each second can't be pressed.
SOONEST, TURN, FULL = 5, 10, 60
NEAR = timedelta(minutes=10)


@dataclass(frozen=True)
class Scene:
    """`name` says which template; `waiting` and `lobby` are how many people are there."""

    name: str
    queue: SaleQueue
    now: datetime
    waiting: int = 0
    lobby: int = 0
    place: dict[str, Any] | None = None
    absence_seconds: int = 0
    news: dict[str, Any] = field(default_factory=dict)
    why: str = ""
    lines: list[SaleQueue] = field(default_factory=list)
    appeal: BlockAppeal | None = None
    may_appeal: bool = False

    @property
    def template(self) -> str:
        return f"queue/line/_{self.name}.html"

    @property
    def is_live(self) -> bool:
        return self.name in LIVE

    @property
    def state(self) -> str:
        """The queue's: what the line itself says comes before what the database said."""
        return self.place["queue_state"] if self.place else str(self.queue.state)

    @property
    def is_full(self) -> bool:
        return self.waiting + self.lobby >= self.queue.capacity

    @property
    def can_join(self) -> bool:
        return self.queue.state in JOINABLE and not self.is_full

    @property
    def standing_json(self) -> str:
        return json.dumps(self.place)

    @property
    def news_json(self) -> str:
        return json.dumps(self.news)

    @property
    def eta(self) -> str:
        return words.eta_in_words(self.place) if self.place else ""

    @property
    def eta_range(self) -> str:
        return words.range_in_words(self.place) if self.place else ""

    @property
    def before(self) -> int:
        """How many got a number before this person."""
        return max((self.place or {}).get("number") or 1, 1) - 1

    @property
    def gone(self) -> int:
        """How many of those are no longer ahead."""
        return max(self.before - ((self.place or {}).get("ahead") or 0), 0)

    @property
    def ahead_words(self) -> str:
        ahead = (self.place or {}).get("ahead") or 0
        return str(words.WORDS[{0: "ahead-none", 1: "ahead-one"}.get(ahead, "ahead-many")])

    @property
    def gone_words(self) -> str:
        numbers = {"gone": intcomma(self.gone), "before": intcomma(self.before)}
        return str(words.WORDS["gone"]).format(**numbers)

    @property
    def deadline(self) -> datetime | None:
        text = (self.place or {}).get("deadline")
        return datetime.fromisoformat(text) if text else None

    @property
    def chances(self) -> list[dict[str, Any]]:
        """For each grade, whether seats will be left; for newcomers, behind all who wait."""
        ahead = (self.place or {}).get("ahead")
        ahead = self.waiting if ahead is None else ahead
        return [_chance(grade, ahead) for grade in self.news.get("grades", ())]

    @property
    def kept_for(self) -> str:
        return words.time_kept(self.absence_seconds or self.queue.absence_seconds)

    @property
    def claim_for(self) -> str:
        return words.time_kept(self.queue.claim_seconds)

    @property
    def refresh_after(self) -> int | None:
        """Seconds until a page without a script looks again."""
        if self.name == "ready":
            return TURN
        if self.place and self.is_live:
            return max(math.ceil(self.place["next_poll_ms"] / 1000), SOONEST)
        if self.name == "scheduled":
            return _until(self.queue.lobby_opens_at or self.queue.opens_at, self.now)
        return FULL if self.name == "join" and self.is_full else None


def scene_for(queue: SaleQueue, caller: Caller | None, now: datetime) -> Scene:
    if queue.state in (State.SCHEDULED, State.CLOSED):
        return Scene(queue.state, queue, now)
    if caller is None:
        return _of_stranger(queue, now)
    return _of_person(queue, str(caller.id), now)


def scene_of_refusal(
    queue: SaleQueue, refusal: DomainError, now: datetime, *, person: str
) -> Scene:
    """Some refusals are a state of things, which the page can say better than an error page."""
    if isinstance(refusal, errors.InAnotherLine):
        return Scene("elsewhere", queue, now, lines=services.lines_in(refusal.details["events"]))
    return Scene("blocked", queue, now, why=refusal.details["why"], **_appeal_of(queue.pk, person))


def _of_stranger(queue: SaleQueue, now: datetime) -> Scene:
    seen = services.overview(queue, now=now)
    if not seen.reachable:
        raise Unavailable()
    if not seen.known:
        raise errors.QueueUnavailable()
    news = services.announcements(queue.pk)
    return Scene("join", queue, now, waiting=seen.waiting, lobby=seen.lobby, news=news)


def _of_person(queue: SaleQueue, person: str, now: datetime) -> Scene:
    found = services.standing(event_id=queue.pk, person=person, now=now)
    blocked = found.state == "blocked"
    return Scene(
        SCENES.get(found.state, found.state),
        queue,
        now,
        waiting=found.waiting,
        lobby=found.lobby,
        place=_place(queue.pk, person, found, now),
        absence_seconds=found.absence_ms // 1000,
        news=services.announcements(queue.pk),
        why=services.why_blocked(event_id=queue.pk, person=person) if blocked else "",
        **(_appeal_of(queue.pk, person) if blocked else {}),
    )


def _appeal_of(event_id: int, person: str) -> dict[str, Any]:
    last = services.last_appeal(event_id=event_id, person=person)
    may = services.may_appeal(last, event_id=event_id, person=person)
    return {"appeal": last, "may_appeal": may}


def _place(event_id: int, person: str, found: Standing, now: datetime) -> dict[str, Any]:
    luck = random()  # noqa: S311 - spreads looks, guards nothing
    return selectors.standing_body(
        event_id=event_id, person=person, found=found, now=now, luck=luck
    )


def _chance(grade: dict[str, Any], ahead: int) -> dict[str, Any]:
    language = (get_language() or "ko")[:2]
    chance = chance_of(grade, ahead)
    name = grade.get(f"name_{language}") or grade["name_ko"]
    free = str(words.WORDS["free"]).format(n=intcomma(grade["free"]))
    return {"name": name, "free_words": free, "chance": chance, "words": words.WORDS[chance]}


def chance_of(grade: dict[str, Any], ahead: int) -> str:
    if not grade["free"]:
        return "none"
    if ahead < grade["likely"]:
        return "likely"
    return "maybe" if ahead < grade["maybe"] else "unlikely"


def _until(moment: datetime, now: datetime) -> int | None:
    left = moment - now
    if left > NEAR:
        return None
    return int(min(FULL, max(SOONEST, left.total_seconds() + 1)))
