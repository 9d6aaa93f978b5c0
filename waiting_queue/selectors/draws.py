"""The draw of a lobby as it is published: a hash before the opening, the whole draw after it.

Before the opening the SHA-256 of a secret seed is published, afterwards the seed. Each person in
the lobby has an entry, a pseudonym; the order is that of the entries' hashes under the seed.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeVar

from django.core.cache import cache

from ticketing.core.error_responses import REDIS_OUTAGES
from waiting_queue.models import QueueDraw, QueueJournal, SaleQueue
from waiting_queue.selectors.draw_verification import draw_checks, seed_hash

State = SaleQueue.State
T = TypeVar("T")
# A finished draw never changes.
CACHE_SECONDS = 24 * 3600


@dataclass(frozen=True)
class PublicDraw:
    """`stage`: none, before, during or after. `verified`: our own check of a finished draw."""

    stage: str
    seed_sha256: str
    shuffled: bool
    seed: str = ""
    people: int = 0
    first_number: int = 0
    verified: bool = False


@dataclass(frozen=True)
class OwnEntry:
    entry: str
    number: int | None


def entry_of(queue: SaleQueue, person: str) -> str:
    """Return a person's pseudonym in the published list; the salt keeps others from guessing it."""
    return sha256(f"{queue.salt}:{person}".encode()).hexdigest()[:16]


def published_draw(queue: SaleQueue) -> dict[str, object]:
    """Return everything needed to verify the draw; the seed only once it is finished."""
    draw = QueueDraw.objects.filter(pk=queue.pk).exclude(finished_at=None).first()
    public: dict[str, object] = {"event": queue.pk, "seed_sha256": seed_hash(queue.seed)}
    if draw is None:
        return public | {"seed": None, "entries": None}
    entries = [entry_of(queue, person) for person in draw.people or []]
    return public | {
        "seed": draw.seed,
        "shuffled": draw.shuffled,
        "first_number": draw.first_number,
        "entries": entries,
    }


def public_draw(queue: SaleQueue) -> PublicDraw:
    """Return the draw as its page shows it."""
    draw, published_hash = _draw_of(queue), seed_hash(queue.seed)
    if draw is None:
        return PublicDraw(_stage_without_draw(queue), published_hash, queue.shuffle_lobby)
    if draw.finished_at is None:
        return PublicDraw("during", published_hash, draw.shuffled)
    people, verified = _cached(f"draw-check:{published_hash}", lambda: _verify(queue))
    return PublicDraw(
        stage="after",
        seed_sha256=published_hash,
        shuffled=draw.shuffled,
        seed=draw.seed,
        people=people,
        first_number=draw.first_number,
        verified=verified,
    )


def draw_file(queue: SaleQueue) -> str:
    """Return the published draw as JSON."""
    if not is_draw_finished(queue):
        return _as_json(queue)
    return _cached(f"draw-file:{seed_hash(queue.seed)}", lambda: _as_json(queue))


def is_draw_finished(queue: SaleQueue) -> bool:
    draw = _draw_of(queue)
    return draw is not None and draw.finished_at is not None


def own_entry(queue: SaleQueue, *, person: int, draw: PublicDraw) -> OwnEntry:
    """Return a person's entry, and the number that it drew."""
    number = None
    if draw.stage == "after":
        drawn = range(draw.first_number, draw.first_number + draw.people)
        joins = QueueJournal.objects.filter(event_id=queue.pk, person=person, kind="join")
        numbers = joins.order_by("id").values_list("number", flat=True)
        number = next((one for one in numbers if one in drawn), None)
    return OwnEntry(entry_of(queue, str(person)), number)


def _draw_of(queue: SaleQueue) -> QueueDraw | None:
    return getattr(queue, "draw", None)


def _stage_without_draw(queue: SaleQueue) -> str:
    expects_lobby = queue.state == State.SCHEDULED and queue.lobby_opens_at is not None
    return "before" if expects_lobby or queue.state == State.LOBBY else "none"


def _verify(queue: SaleQueue) -> tuple[int, bool]:
    published = published_draw(queue)
    return len(published["entries"]), all(check.passed for check in draw_checks(published))  # type: ignore[arg-type]


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
