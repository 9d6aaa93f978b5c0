"""Groups of people in a sale who look like one: with reasons, and for operators only.

Counted in PostgreSQL when an operator asks, never while people join. Being in a group proves
nothing: a family, an office or a university is one, too. What the system does by itself takes more
(`waiting_queue.selectors.groups`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256
from typing import Any

from django.db.models import Count, F, QuerySet
from django.db.models.fields.json import KT
from django.db.models.functions import TruncSecond
from django.utils.timezone import localtime
from django.utils.translation import gettext_lazy as _

from reservations.models import Reservation
from waiting_queue.selectors import signals_of_places

# From so many people on, or so many holds that ran out, a group is shown.
SHARED_RANGE, SHARED_DEVICE, SAME_SECOND, RUN_OUTS = 20, 3, 10, 3
MAX_GROUPS, MAX_PEOPLE = 50, 5_000
REASONS = {
    "range": _("the same range of addresses"),
    "device": _("the same browser"),
    "speed": _("joined in the same second from one range of addresses"),
    "run_outs": _("held seats again and again without paying"),
}


@dataclass(frozen=True)
class Group:
    """People of a sale who have something in common; `value` says what."""

    kind: str
    value: str
    size: int
    match: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def key(self) -> str:
        """Names the group in addresses, which get into logs."""
        return sha256(f"{self.kind} {self.value}".encode()).hexdigest()[:16]

    @property
    def reason(self) -> str:
        return str(REASONS[self.kind])


def suspicious_groups(event_id: int) -> list[Group]:
    """The largest first."""
    found = [*_groups_by_signals(event_id)]
    if size := _run_outs(event_id).count():
        found.append(Group("run_outs", "", size))
    return sorted(found, key=lambda group: -group.size)[:MAX_GROUPS]


def people_of(group: Group, *, event_id: int) -> list[int]:
    """Their account ids, the earliest first."""
    if group.kind == "run_outs":
        return list(_run_outs(event_id).values_list("fan_id", flat=True)[:MAX_PEOPLE])
    rows = _signals(event_id)
    if rows is None:
        return []
    found = rows.filter(**group.match).order_by("at").values_list("person", flat=True)
    return list(dict.fromkeys(found[:MAX_PEOPLE]))


def _groups_by_signals(event_id: int) -> Iterator[Group]:
    rows = _signals(event_id)
    if rows is None:
        return
    ranged, marked = rows.exclude(address_range=""), rows.exclude(device=None).exclude(device="")
    for (network,), size in _counted(ranged, SHARED_RANGE, "address_range"):
        yield Group("range", network, size, {"address_range": network})
    for (device,), size in _counted(marked, SHARED_DEVICE, "device"):
        yield Group("device", device, size, {"device": device})
    for (network, second), size in _counted(ranged, SAME_SECOND, "address_range", "second"):
        when = {"at__gte": second, "at__lt": second + timedelta(seconds=1)}
        value = f"{network} {localtime(second):%Y-%m-%d %H:%M:%S}"
        yield Group("speed", value, size, {"address_range": network} | when)


def _signals(event_id: int) -> QuerySet[Any] | None:
    rows = signals_of_places(event_id)
    if rows is None:
        return None
    return rows.annotate(device=KT("signals__device"), second=TruncSecond("at"))


def _counted(
    rows: QuerySet[Any], least: int, *fields: str
) -> Iterator[tuple[tuple[Any, ...], int]]:
    """What so many different people have in common, and how many they are."""
    counted = rows.values(*fields).annotate(size=Count("person", distinct=True))
    for row in counted.filter(size__gte=least).order_by("-size")[:MAX_GROUPS]:
        yield tuple(row[name] for name in fields), row["size"]


def _run_outs(event_id: int) -> QuerySet[Any, Any]:
    ended = Reservation.objects.filter(event_id=event_id, state=Reservation.State.EXPIRED)
    people = ended.order_by().values("fan_id").annotate(times=Count("pk"))
    return people.filter(times__gte=RUN_OUTS).order_by(F("times").desc(), "fan_id")
