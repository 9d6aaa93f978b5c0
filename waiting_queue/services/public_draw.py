"""The draw as the public sees it: a promise before, everything needed to check it afterwards."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from django.core.cache import cache

from ticketing.core.error_responses import REDIS_OUTAGES
from ticketing.events.models import Event
from waiting_queue.errors import NoQueue
from waiting_queue.models import QueueDraw, QueueJournal, SaleQueue
from waiting_queue.services.checking import check_draw
from waiting_queue.services.drawing import entry_of, published_draw, seed_hash

State = SaleQueue.State
T = TypeVar("T")
# A draw that is over never changes.
KEPT_SECONDS = 24 * 3600


@dataclass(frozen=True)
class PublicDraw:
    """`stage`: none, before, during or after; `holds` is our own check of a draw that is over."""

    stage: str
    seed_sha256: str
    shuffled: bool
    seed: str = ""
    people: int = 0
    first_number: int = 0
    holds: bool = False


@dataclass(frozen=True)
class OwnEntry:
    entry: str
    number: int | None


def public_queue(event_id: int) -> SaleQueue:
    """The queue of an event that everybody may see, with its draw but without the long list."""
    queues = SaleQueue.objects.select_related("event__plan__venue", "draw").defer("draw__people")
    queue = queues.exclude(event__state=Event.State.DRAFT).filter(pk=event_id).first()
    if queue is None:
        raise NoQueue()
    return queue


def public_draw(queue: SaleQueue) -> PublicDraw:
    draw, promise = _draw_of(queue), seed_hash(queue.seed)
    if draw is None:
        return PublicDraw(_stage_without_draw(queue), promise, queue.shuffle_lobby)
    if draw.finished_at is None:
        return PublicDraw("during", promise, draw.shuffled)
    people, holds = _kept(f"draw-check:{promise}", lambda: _checked(queue))
    return PublicDraw("after", promise, draw.shuffled, draw.seed, people, draw.first_number, holds)


def draw_file(queue: SaleQueue) -> str:
    """The whole published draw as JSON."""
    if not draw_is_over(queue):
        return _as_json(queue)
    return _kept(f"draw-file:{seed_hash(queue.seed)}", lambda: _as_json(queue))


def draw_is_over(queue: SaleQueue) -> bool:
    draw = _draw_of(queue)
    return draw is not None and draw.finished_at is not None


def own_entry(queue: SaleQueue, *, person: int, draw: PublicDraw) -> OwnEntry:
    """A person's own line in the list, and the number that it was given."""
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


def _checked(queue: SaleQueue) -> tuple[int, bool]:
    published = published_draw(queue)
    return len(published["entries"]), all(check.holds for check in check_draw(published))  # type: ignore[arg-type]


def _as_json(queue: SaleQueue) -> str:
    return json.dumps(published_draw(queue), separators=(",", ":"))


def _kept(key: str, make: Callable[[], T]) -> T:
    """Worked out once a day; or every time while Redis is out of reach."""
    try:
        found: T | None = cache.get(key)
        if found is None:
            found = make()
            cache.set(key, found, KEPT_SECONDS)
    except REDIS_OUTAGES:
        return make()
    return found
