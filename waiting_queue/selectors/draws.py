"""The draw of a lobby as it is published: a hash before the opening, the whole draw after it.

Before the opening the SHA-256 of a secret is published, afterwards the secret. Each person in the
lobby has an entry, a pseudonym. The seed follows from the secret, the hash of all entries and a
public value, if one was announced; the order is that of the entries' hashes under the seed.

In a line that is drawn all along each minute has a secret of its own (`models.draw_secrets`), which
is published as soon as the minute is drawn.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, TypeVar

from django.core.cache import cache
from django.db.models import F, Q

from ticketing.core.error_responses import REDIS_OUTAGES
from waiting_queue.keys import LANE_NUMBERS
from waiting_queue.models import QueueDraw, QueueJournal, SaleQueue
from waiting_queue.selectors.draw_verification import (
    DrawCheck,
    draw_checks,
    minute_checks,
    text_hash,
)

Kind, State = QueueJournal.Kind, SaleQueue.State
T = TypeVar("T")
# A finished draw never changes.
CACHE_SECONDS = 24 * 3600


@dataclass(frozen=True)
class PublicDraw:
    """`stage`: none, before, during or after. `checks`: our own ones of a finished draw."""

    stage: str
    secret_sha256: str
    shuffled: bool
    public_value_source: str
    public_value: str
    secret: str = ""
    lobby_sha256: str = ""
    seed: str = ""
    people: int = 0
    first_number: int = 0
    checks: list[DrawCheck] = field(default_factory=list)
    minutes_sha256: str = ""
    minutes: int = 0
    minute_checks: list[DrawCheck] = field(default_factory=list)

    @property
    def names_people(self) -> bool:
        """Whether people have entries in it: then each reader is shown their own."""
        return bool(self.minutes_sha256) or (self.stage != "none" and self.shuffled)

    @property
    def minutes_verified(self) -> bool:
        return all(check.passed for check in self.minute_checks)

    @property
    def verified(self) -> bool:
        return all(check.passed for check in self.checks)


@dataclass(frozen=True)
class OwnEntry:
    entry: str
    number: int | None


def entry_of(salt: str, person: str) -> str:
    """Return a person's pseudonym in the published list; the salt keeps others from guessing it."""
    return sha256(f"{salt}:{person}".encode()).hexdigest()[:16]


def published_draw(queue: SaleQueue) -> dict[str, object]:
    """Return everything needed to verify the draw; what is secret only once it is finished."""
    return _published_lobby(queue) | published_minutes(queue)


def published_minutes(queue: SaleQueue) -> dict[str, object]:
    """Return what commits to the secrets of all minutes, and those that are drawn."""
    if not queue.minute_secrets:
        return {}
    draws = queue.minute_draws.exclude(finished_at=None).order_by("minute")
    fields = ("minute", "first_number", "secret", "entries_sha256", "seed", "people")
    minutes = list(draws.values(*fields))
    salt = queue.open_draw_secrets().salt if minutes else ""
    for minute in minutes:
        minute["entries"] = [entry_of(salt, person) for person in minute.pop("people")]
    return {"minutes_sha256": queue.minutes_sha256, "minutes": minutes}


def _published_lobby(queue: SaleQueue) -> dict[str, object]:
    draw = QueueDraw.objects.filter(pk=queue.pk).exclude(finished_at=None).first()
    values = {"public_value_source": queue.public_value_source, "public_value": queue.public_value}
    promise: dict[str, object] = {"event": queue.pk, "secret_sha256": queue.secret_sha256} | values
    if draw is None:
        return promise | {"secret": None, "seed": None, "entries": None}
    secrets = queue.open_draw_secrets()
    drawn = {
        "seed": draw.seed,
        "shuffled": draw.shuffled,
        "first_number": draw.first_number,
        "entries": [entry_of(secrets.salt, person) for person in draw.people or []],
    }
    if not draw.lobby_sha256:  # drawn by an earlier release
        return {"event": queue.pk, "seed_sha256": queue.secret_sha256} | drawn
    return promise | {"secret": secrets.secret, "lobby_sha256": draw.lobby_sha256} | drawn


def public_draw(queue: SaleQueue) -> PublicDraw:
    """Return the draw as its page shows it."""
    draw = _public_lobby(queue)
    if not queue.minute_secrets:
        return draw
    key = f"minute-checks:{draw_version(queue)}"
    checks = _cached(key, lambda: _verify_minutes(queue))
    return replace(
        draw,
        minutes_sha256=queue.minutes_sha256,
        minutes=_minutes_drawn(queue),
        minute_checks=[DrawCheck(code, passed) for code, passed in checks],
    )


def _public_lobby(queue: SaleQueue) -> PublicDraw:
    draw, promised = _draw_of(queue), queue.secret_sha256
    values = (queue.public_value_source, queue.public_value)
    if draw is None:
        expects_lobby = queue.state == State.SCHEDULED and queue.lobby_opens_at is not None
        stage = "before" if expects_lobby or queue.state == State.LOBBY else "none"
        return PublicDraw(stage, promised, queue.draws_lobby, *values)
    if draw.finished_at is None:
        return PublicDraw("during", promised, draw.shuffled, *values)
    people, secret, checks = _cached(f"draw-checks:{promised}", lambda: _verify(queue))
    return PublicDraw(
        "after",
        promised,
        draw.shuffled,
        *values,
        secret=secret,
        lobby_sha256=draw.lobby_sha256,
        seed=draw.seed,
        people=people,
        first_number=draw.first_number,
        checks=[DrawCheck(code, passed) for code, passed in checks],
    )


def draw_file(queue: SaleQueue) -> str:
    """Return the published draw as JSON."""
    if not is_draw_finished(queue) and not queue.minute_secrets:
        return _as_json(queue)
    return _cached(f"draw-file:{draw_version(queue)}", lambda: _as_json(queue))


def draw_version(queue: SaleQueue) -> str:
    """Return a text that changes whenever the published draw does."""
    minutes = (
        f"-{queue.minutes_sha256[:16]}-{_minutes_drawn(queue)}" if queue.minute_secrets else ""
    )
    if is_draw_finished(queue):
        return f"{queue.secret_sha256[:16]}-final{minutes}"
    values = text_hash(f"{queue.public_value_source}\n{queue.public_value}")
    return f"{queue.secret_sha256[:16]}-{values[:8]}{minutes}"


def is_draw_final(queue: SaleQueue) -> bool:
    """Whether nothing will be added to the published draw any more."""
    return is_draw_finished(queue) and not queue.minute_secrets


def is_draw_finished(queue: SaleQueue) -> bool:
    draw = _draw_of(queue)
    return draw is not None and draw.finished_at is not None


def own_entry(queue: SaleQueue, *, person: int, draw: PublicDraw) -> OwnEntry:
    """Return a person's entry, and the number that it drew; companions have their leader's."""
    holder, listed = _place_in_draw(queue.pk, person)
    joins = QueueJournal.objects.filter(event_id=queue.pk, person=holder, kind="join")
    numbers, number = list(joins.order_by("id").values_list("number", flat=True)), None
    if draw.stage == "after":
        drawn = range(draw.first_number, draw.first_number + draw.people)
        in_lane = (one % LANE_NUMBERS for one in numbers)
        number = next((one for one in in_lane if one in drawn), None)
    if number is None and queue.minute_secrets:
        number = _number_in_a_minute(queue, numbers[-1] if numbers else None)
    return OwnEntry(entry_of(queue.open_draw_secrets().salt, str(listed)), number)


def _number_in_a_minute(queue: SaleQueue, number: int | None) -> int | None:
    draws = queue.minute_draws.exclude(finished_at=None).filter(first_number__lte=number or 0)
    draw = draws.order_by("first_number").last()
    return number if draw and number and number < draw.first_number + draw.size else None


def _minutes_drawn(queue: SaleQueue) -> int:
    return queue.minute_draws.exclude(finished_at=None).count()


def _verify_minutes(queue: SaleQueue) -> list[tuple[str, bool]]:
    published = _published_lobby(queue) | published_minutes(queue)
    return [(check.code, check.passed) for check in minute_checks(published)]


def _place_in_draw(event_id: int, person: int) -> tuple[int, int]:
    """Return whose place a person has, or had, before a draw, and who is listed with it.

    Companions have that of their leader, who may have it from somebody listed before them.
    """
    last = _last_before_draw(event_id, person)
    if last and last.leader and last.kind == Kind.COMPANION:
        person = last.leader
        last = _last_before_draw(event_id, person)
    listed = last.leader if last and last.kind == Kind.LEAD else None
    return person, listed or person


def _last_before_draw(event_id: int, person: int) -> QueueJournal | None:
    entries = QueueJournal.objects.filter(event_id=event_id, person=person)
    in_lane = entries.alias(in_lane=F("number") % LANE_NUMBERS)
    return in_lane.filter(Q(in_lane=0) | Q(number__lt=0)).order_by("-id").first()


def _draw_of(queue: SaleQueue) -> QueueDraw | None:
    return getattr(queue, "draw", None)


def _verify(queue: SaleQueue) -> tuple[int, str, list[tuple[str, bool]]]:
    """Return how many were drawn, the secret, and the result of each check, to be cached."""
    published: dict[str, Any] = _published_lobby(queue)
    checks = [(check.code, check.passed) for check in draw_checks(published)]
    return len(published["entries"]), published.get("secret", ""), checks


def _as_json(queue: SaleQueue) -> str:
    return json.dumps(published_draw(queue), separators=(",", ":"))


def _cached(key: str, compute: Callable[[], T]) -> T:
    """Return the cached value; while Redis is down, compute it each time."""
    try:
        value: T | None = cache.get(key)
        if value is None:
            value = compute()
            cache.set(key, value, CACHE_SECONDS)
    except REDIS_OUTAGES:
        return compute()
    return value
