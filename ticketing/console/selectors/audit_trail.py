"""The audit trail of an event: the change rows of all apps as one list, newest first.

Nothing is copied. Each page reads a page from every source by its index, and merges them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import models
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from payments.models import PaymentStep
from reservations.models import ReservationChange, StandbyChange, TicketChange
from ticketing.accounts.models import User
from ticketing.events.models import EventChange
from waiting_queue.models import QueueChange

KINDS: Mapping[str, Any] = {
    "states": _("states"),
    "seats": _("seats"),
    "line": _("settings of the line"),
    "lanes": _("lanes"),
    "people": _("people"),
    "money": _("money"),
    "tickets": _("tickets"),
    "approvals": _("approvals"),
    "event": pgettext_lazy("kind of change", "event"),
}
SYSTEM, FANS = "system", "fans"


@dataclass(frozen=True)
class Source:
    """One table of changes. `kinds` maps the beginning of `what` to a kind; "" is every other.

    `subject` is what changes under a row lock: its rows are numbered in the order of its changes.
    """

    model: type[models.Model]
    permission: str
    event: str
    kinds: Mapping[str, str]
    search: tuple[str, ...]
    joins: tuple[str, ...] = ()
    subject: str = "pk"

    def kind(self, change: Any) -> str:
        what = getattr(change, "what", "")
        return next(kind for start, kind in self.kinds.items() if what.startswith(start))

    def of_kind(self, kind: str) -> Q | None:
        """Which rows are of this kind; None: none of them."""
        if kind not in self.kinds.values():
            return None
        starts = [start for start, it in self.kinds.items() if it == kind]
        if "" not in starts:
            return _starting_with(starts)
        others = [start for start, it in self.kinds.items() if it != kind]
        return ~_starting_with(others) if others else Q()


SOURCES = (
    Source(
        EventChange,
        "ticketing.view_eventchange",
        "event_id",
        {
            "state": "states",
            "seats": "seats",
            "grade": "money",
            "approval": "approvals",
            "": "event",
        },
        ("what", "before", "after", "why"),
    ),
    Source(
        QueueChange,
        "queue.view_queuechange",
        "queue_id",
        {"state": "states", "person ": "people", "lane_": "lanes", "": "line"},
        ("what", "before", "after", "why"),
    ),
    Source(
        ReservationChange,
        "reservations.view_reservationchange",
        "reservation__event_id",
        {"": "seats"},
        ("reservation__code", "why"),
        ("reservation",),
        "reservation_id",
    ),
    Source(
        TicketChange,
        "reservations.view_ticketchange",
        "ticket__event_id",
        {"": "tickets"},
        ("ticket__code", "ticket__reservation__code", "before", "after", "why"),
        ("ticket__reservation",),
        "ticket_id",
    ),
    Source(
        StandbyChange,
        "reservations.view_standbychange",
        "entry__event_id",
        {"": "people"},
        ("why",),
        ("entry",),
        "entry_id",
    ),
    Source(
        PaymentStep,
        "payments.view_payment",
        "payment__reservation__event_id",
        {"": "money"},
        ("payment__number", "payment__reservation__code", "note"),
        ("payment__reservation",),
        "payment_id",
    ),
)


@dataclass(frozen=True)
class Position:
    """Where a page of the trail ends: the next one begins after it."""

    at: datetime
    source: int
    pk: int

    def __str__(self) -> str:
        return f"{self.at.isoformat()}_{self.source}_{self.pk}"

    @classmethod
    def parse(cls, text: str) -> "Position | None":
        try:
            at, source, pk = text.split("_")
            moment = datetime.fromisoformat(at)
            return cls(moment, int(source), int(pk)) if moment.tzinfo else None
        except (ValueError, OverflowError):
            return None


@dataclass(frozen=True)
class TrailFilter:
    """`by`: the key of an account, SYSTEM, FANS, or empty for everybody."""

    kind: str = ""
    by: str = ""
    since: datetime | None = None
    until: datetime | None = None
    text: str = ""


@dataclass(frozen=True)
class Entry:
    change: Any
    source: int
    kind: str

    @property
    def position(self) -> Position:
        return Position(self.change.at, self.source, self.change.pk)


@dataclass(frozen=True)
class TrailPage:
    entries: list[Entry] = field(default_factory=list)
    following: Position | None = None


def readable_sources(user: User) -> list[int]:
    """The sources whose rows this person may read in the admin."""
    return [n for n, source in enumerate(SOURCES) if user.has_perm(source.permission)]


def audit_trail(
    event_id: int,
    *,
    sources: list[int],
    wanted: TrailFilter,
    after: Position | None = None,
    size: int,
) -> TrailPage:
    """One page of the changes of an event, newest first, and where the next one begins."""
    found: list[Entry] = []
    for number in sources:
        rows = _rows(event_id, number, wanted, after)
        if rows is not None:
            source = SOURCES[number]
            found += [Entry(row, number, source.kind(row)) for row in rows[: size + 1]]
    found.sort(key=lambda entry: (entry.change.at, -entry.source, entry.change.pk), reverse=True)
    has_more = len(found) > size
    following = found[size - 1].position if has_more else None
    return TrailPage(_in_order_of_change(found[:size]), following)


def _in_order_of_change(entries: list[Entry]) -> list[Entry]:
    """Put the changes of each subject on this page into the order in which they were made.

    Their times are those at which calls began, and one that began earlier may change it later.
    """
    places: dict[tuple[int, int], list[int]] = {}
    for place, entry in enumerate(entries):
        subject = getattr(entry.change, SOURCES[entry.source].subject)
        places.setdefault((entry.source, subject), []).append(place)
    ordered = list(entries)
    for those in places.values():
        newest_first = sorted((entries[n] for n in those), key=lambda it: -it.change.pk)
        for place, entry in zip(those, newest_first, strict=True):
            ordered[place] = entry
    return ordered


def whole_trail(
    event_id: int, *, sources: list[int], wanted: TrailFilter, size: int
) -> Iterator[Entry]:
    """All entries, read page by page."""
    after: Position | None = None
    while True:
        page = audit_trail(event_id, sources=sources, wanted=wanted, after=after, size=size)
        yield from page.entries
        after = page.following
        if after is None:
            return


def _rows(
    event_id: int, number: int, wanted: TrailFilter, after: Position | None
) -> QuerySet[Any] | None:
    source = SOURCES[number]
    rows = source.model._default_manager.filter(**{source.event: event_id})
    if wanted.kind:
        of_kind = source.of_kind(wanted.kind)
        if of_kind is None:
            return None
        rows = rows.filter(of_kind)
    rows = rows.filter(_by(wanted.by), _between(wanted), _matching(source, wanted.text))
    if after is not None:
        rows = rows.filter(_after(after, number))
    return rows.select_related("by", *source.joins).order_by("-at", "-id")


def _starting_with(starts: list[str]) -> Q:
    found = Q(pk__in=[])
    for start in starts:
        found |= Q(what__startswith=start)
    return found


def _by(by: str) -> Q:
    if by == SYSTEM:
        return Q(by=None)
    if by == FANS:
        return Q(by__is_staff=False)
    return Q(by=int(by)) if by else Q()


def _between(wanted: TrailFilter) -> Q:
    since = Q(at__gte=wanted.since) if wanted.since else Q()
    return since & (Q(at__lte=wanted.until) if wanted.until else Q())


def _matching(source: Source, text: str) -> Q:
    if not text:
        return Q()
    found = Q(pk__in=[])
    for name in source.search:
        found |= Q(**{f"{name}__icontains": text})
    return found


def _after(position: Position, number: int) -> Q:
    """Of rows at the same time, those of a source with a lower number come first."""
    if number > position.source:
        return Q(at__lte=position.at)
    earlier = Q(at__lt=position.at)
    if number < position.source:
        return earlier
    return Q(at__lte=position.at) & (earlier | Q(pk__lt=position.pk))
