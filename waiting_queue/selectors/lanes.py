"""Lanes as fans and operators see them, and what people of a lane may buy."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, F, Q
from django.utils.translation import gettext as _

from ticketing.core.ttl_cache import ttl_cache
from waiting_queue.keys import LANE_NUMBERS
from waiting_queue.models import Lane, LaneKey, QueueJournal

# A change of what a lane may buy works within so many seconds.
LIMITS_SECONDS = 2
Kind = QueueJournal.Kind


@dataclass(frozen=True)
class LaneLimits:
    """The codes of what people of a lane may buy; empty: all."""

    grades: frozenset[str] = frozenset()
    sections: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.grades or self.sections)

    def allow(self, *, grade: str, section: str) -> bool:
        allowed_grade = not self.grades or grade in self.grades
        return allowed_grade and (not self.sections or section in self.sections)


@dataclass(frozen=True)
class LaneShare:
    """How many a lane called, and the share that its weight asks for beside what it got.

    The two differ by what a lane could not use: while it was empty, or not open.
    """

    number: int
    name: str
    weight: int
    called: int
    wanted: float
    got: float


def lanes_of(event_id: int) -> list[Lane]:
    """Return the lanes of an event with what they may buy; none for most events."""
    return list(Lane.objects.filter(queue_id=event_id).prefetch_related("grades", "sections"))


@ttl_cache(LIMITS_SECONDS)
def lane_limits(event_id: int) -> dict[int, LaneLimits]:
    """Return what people of each lane may buy, by the lane's number; only of limited lanes."""
    limits = {
        lane.number: LaneLimits(
            frozenset(grade.code for grade in lane.grades.all()),
            frozenset(section.code for section in lane.sections.all()),
        )
        for lane in lanes_of(event_id)
    }
    return {number: limit for number, limit in limits.items() if limit}


def offer_label(lane: Lane) -> str:
    """Return what people of a lane may buy, in words; empty if everything."""
    names = [str(one) for one in (*lane.grades.all(), *lane.sections.all())]
    return _("You can buy: %(what)s.") % {"what": ", ".join(names)} if names else ""


def lane_offers(event_id: int) -> dict[str, str]:
    """Return what people of each limited lane may buy, in words, by the lane's number."""
    offers = {str(lane.number): offer_label(lane) for lane in lanes_of(event_id)}
    return {lane: offer for lane, offer in offers.items() if offer}


def lane_names(event_id: int) -> dict[int, str]:
    """Return the name of each lane by its number; empty without lanes."""
    names = {lane.number: lane.name for lane in Lane.objects.filter(queue_id=event_id)}
    return {0: _("Open sale")} | names if names else {}


def called_by_lane(event_id: int) -> dict[int, int]:
    """Return how many numbers of each lane were called or let in, from the journal.

    Without those whom an operator let in: they take no call of their lane.
    """
    journal = QueueJournal.objects.filter(event_id=event_id, number__gt=0)
    bypassed = journal.filter(kind=Kind.BYPASS).values("number")
    entries = journal.filter(kind__in=[Kind.READY, Kind.ADMIT]).exclude(number__in=bypassed)
    by_lane = entries.order_by().annotate(lane=F("number") / LANE_NUMBERS).values_list("lane")
    return dict(by_lane.annotate(Count("number", distinct=True)))


def lane_shares(event_id: int) -> list[LaneShare]:
    """Return the shares of a sale's lanes so far; empty without lanes."""
    names = lane_names(event_id)
    if not names:
        return []
    weights = dict.fromkeys(names, 1)
    weights |= Lane.objects.filter(queue_id=event_id).values_list("number", "weight")
    called = called_by_lane(event_id)
    return [
        LaneShare(
            *(number, name, weights[number], called.get(number, 0)),
            wanted=weights[number] / sum(weights.values()),
            got=called.get(number, 0) / (sum(called.values()) or 1),
        )
        for number, name in names.items()
    ]


def key_counts(event_id: int) -> dict[int, tuple[int, int]]:
    """Return how many keys each lane has, and how many are used, by the lane's id."""
    keys = LaneKey.objects.filter(lane__queue_id=event_id).order_by().values("lane")
    counted = keys.annotate(all=Count("pk"), used=Count("pk", filter=Q(used_at__isnull=False)))
    return {one["lane"]: (one["all"], one["used"]) for one in counted}


def key_rows(lane: Lane) -> Iterator[tuple[str, str, datetime | None]]:
    """Return the end of each key, who used it and when."""
    keys = lane.keys.select_related("person").order_by("pk")
    for key in keys.iterator(chunk_size=2_000):
        yield str(key), key.person.email if key.person else "", key.used_at
