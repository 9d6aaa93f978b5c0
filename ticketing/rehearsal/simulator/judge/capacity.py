"""Where the limit of this installation lies: the highest load that was still answered quickly."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.history import Deed, Evidence
from ticketing.rehearsal.simulator.judge.claims import SOLD
from ticketing.rehearsal.simulator.judge.pace import Pace, live_connections, share_of
from ticketing.rehearsal.simulator.judge.reading import Reading
from ticketing.rehearsal.simulator.judge.verdict import Said

SUSTAINED = 5  # seconds
FEWEST = 10  # calls in that time that say something
SLOW_DATABASE_MS, SLOW_REDIS_MS, SLOW_TICK_SECONDS, BUSY = 50.0, 20.0, 3.0, 0.9


@dataclass(frozen=True)
class Targets:
    """Seconds within which 95 of 100 calls are to be answered."""

    queue: float = 0.3
    holds: float = 0.5
    payment: float = 2.0


@dataclass(frozen=True)
class Passed:
    """When calls became too slow, at what load, and how slow."""

    at: float
    load: float
    p95: float


@dataclass(frozen=True)
class Limit:
    """`best` is the highest load within the target; None where there were too few calls."""

    name: str
    title: Any
    target: float
    best: float | None
    best_at: float | None
    passed: Passed | None


@dataclass(frozen=True)
class Limits:
    limits: tuple[Limit, ...]
    bottleneck: Said
    advice: Said

    @property
    def reached(self) -> bool:
        return any(limit.passed for limit in self.limits)


def limits(evidence: Evidence, targets: Targets | None = None) -> Limits:
    reading, targets = Reading(evidence), targets or Targets()
    found = tuple(limit_of(reading, *kind) for kind in _kinds(reading, targets))
    return Limits(found, *_bottleneck(reading, found))


def _kinds(reading: Reading, targets: Targets) -> Iterator[tuple[str, Any, float, Pace, Any]]:
    """Name, title, target, the calls that are timed, and the load in a second."""
    began = reading.began
    joins, polls = Pace(reading.of("join"), began), Pace(reading.of("look"), began)
    holds, money = Pace(reading.of("hold"), began), Pace(reading.of("pay", "confirm"), began)
    sales, queue = Pace(_sales(reading), began), Pace(reading.of("join", "look"), began)
    pages = live_connections(
        reading.of("connect", "dropped"), began, int(reading.ended - began) + SUSTAINED
    )
    yield "joins", _("Joins a second"), targets.queue, joins, joins.done_at
    yield "connections", _("Live connections"), targets.queue, queue, lambda at: pages[at]
    yield "polls", _("Polls a second"), targets.queue, polls, polls.done_at
    yield "holds", _("Holds a second"), targets.holds, holds, holds.done_at
    yield "sales", _("Sales a second"), targets.payment, money, sales.done_at


def _sales(reading: Reading) -> list[Deed]:
    """The first time that somebody heard that it is paid."""
    found: dict[str, Deed] = {}
    for deed in reading.of("confirm", "ask"):
        if deed.done and str(deed.saw.get("state", "")).upper() == SOLD:
            found.setdefault(str(deed.saw.get("payment")), deed)
    return list(found.values())


def limit_of(
    reading: Reading, name: str, title: Any, target: float, pace: Pace, load: Callable[[int], float]
) -> Limit:
    best: tuple[float, float] | None = None
    passed: Passed | None = None
    for second in range(SUSTAINED - 1, int(reading.ended - reading.began) + 1):
        first, at = second - SUSTAINED + 1, reading.began + second
        times = pace.times_in(first, second)
        p95 = share_of(times, 0.95)
        if p95 is None or times.total() < FEWEST or reading.fault_at(at - SUSTAINED, at):
            continue
        carried = sum(load(one) for one in range(first, second + 1)) / SUSTAINED
        if p95 <= target:
            best = max(best or (0.0, at), (carried, at))
        elif passed is None:
            passed = Passed(at - reading.began, carried, p95)
    highest, when = best if best else (None, None)
    since = None if when is None else when - reading.began
    return Limit(name, title, target, highest, since, passed)


def _bottleneck(reading: Reading, found: tuple[Limit, ...]) -> tuple[Said, Said]:
    """From the pulses around the moment at which the first kind of call became slow."""
    slow = [(limit.passed.at, limit.name) for limit in found if limit.passed]
    if not slow:
        return (
            Said(_("Not reached: at all loads seen here, calls were answered in time.")),
            Said(_("Rehearse with more people to find it.")),
        )
    at, first = min(slow)
    samples = [
        deed.saw for deed in reading.of("sample")
        if deed.done and abs(deed.ended - reading.began - at) <= 2 * SUSTAINED
    ]  # fmt: skip
    return _words(
        samples, only_money={name for _at, name in slow} == {"sales"} and first == "sales"
    )


def _words(samples: list[dict[str, Any]], *, only_money: bool) -> tuple[Said, Said]:
    busiest = _busiest(samples)
    if (slow := _middle(samples, "database_ms")) >= SLOW_DATABASE_MS:
        return (
            Said(_("PostgreSQL: a simple question took %(ms)s ms."), {"ms": f"{slow:.0f}"}),
            Said(_("Give PostgreSQL more cores or a faster disk, or lower max_inside, so that "
                   "fewer people choose seats at once.")),
        )  # fmt: skip
    if (slow := _middle(samples, "redis_ms")) >= SLOW_REDIS_MS:
        return (
            Said(_("Valkey: a simple question took %(ms)s ms."), {"ms": f"{slow:.0f}"}),
            Said(_("Give Valkey a core of its own, or the queue a Valkey of its own "
                   "(QUEUE_REDIS_URL).")),
        )  # fmt: skip
    if (late := _middle(samples, "tick_age_seconds")) >= SLOW_TICK_SECONDS:
        return (
            Said(_("The line's own process: ticks came %(late)s s "
                   "apart."), {"late": f"{late:.1f}"}),
            Said(_("Give the process that moves the line a core of its own.")),
        )  # fmt: skip
    if only_money:
        return (
            Said(_("The payment gateway: only payments were slow.")),
            Said(_("Ask the gateway for a higher rate, or lower admit_per_second.")),
        )
    told = {"process": busiest or _("the web processes")}
    return (
        Said(_("Computing time: neither PostgreSQL nor Valkey was slow; busiest: "
               "%(process)s."), told),
        Said(_("Start more web processes on more cores, or lower admit_per_second and "
               "max_inside.")),
    )  # fmt: skip


def _middle(samples: list[dict[str, Any]], name: str) -> float:
    values = [float(sample[name]) for sample in samples if sample.get(name) is not None]
    return median(values) if values else 0.0


def _busiest(samples: list[dict[str, Any]]) -> str:
    """Where the pulse tells the load of processes, as shares of a core."""
    loads: dict[str, float] = {}
    for sample in samples:
        for process, share in (sample.get("load") or {}).items():
            loads[process] = max(loads.get(process, 0.0), float(share))
    busy = [f"{name} ({share:.0%})" for name, share in loads.items() if share >= BUSY]
    return ", ".join(busy)
