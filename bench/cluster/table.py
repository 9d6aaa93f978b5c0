"""Joins, sockets and orders with one, two and three application hosts.

Two cores can't show that more hosts do more; they can show that a unit of work costs the same. What
a host does for a line however many people are in it is not part of a unit: it is told apart by a
small crowd and a large one that come in the same time.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import django
from django.db import connections

from bench import machine
from bench.buyers import Crowd, buy
from bench.cluster.site import ClusterSite
from bench.people import make_event_on_sale, make_fans
from bench.storm import per_second
from bench.storm_clients import Job

HOSTS = (1, 2, 3)
# So many per processor, which they share with the hosts.
PROCESSORS = os.cpu_count() or 1
PEOPLE, BUYERS = 500 * PROCESSORS, 100 * PROCESSORS
FEW = PEOPLE // 10
INSIDE = 1  # comes in without a socket, and the others wait
# The site is measured without people for long enough that its part can be taken off.
IDLE_SECONDS, ARRIVE_SECONDS, SOCKET_SECONDS = 15.0, 10.0, 5.0
# Until the crowd's program is ready; longer on a busy machine, but the same for both crowds.
START_SECONDS = 3.0 * max(1.0, os.getloadavg()[0] / PROCESSORS)
ORDER = ["join", "socket", "claim", "seat_list", "hold", "pay", "confirm", "settled"]
NOT_OURS = frozenset({"clients", "outside", "other"})
Spent = dict[str, float]  # processor seconds of each kind of process


@dataclass(frozen=True)
class Row:
    """What was measured with so many hosts."""

    hosts: int
    idle: Spent  # a second without people
    few: "Storm"
    many: "Storm"
    orders: int
    order_seconds: float
    ordering: Spent

    @property
    def person(self) -> Spent:
        """Of one person more, who joins and waits with an open page."""
        more = self.many.people - self.few.people
        return _each(_less(self.many.spent, self.few.spent, 1), more)

    @property
    def line(self) -> float:
        """Processor seconds a second of a line with people in it, without those of the people."""
        spent = _ours(_less(self.few.spent, self.idle, self.few.seconds))
        return (spent - self.few.people * _ours(self.person)) / self.few.seconds

    @property
    def order(self) -> Spent:
        return _each(_less(self.ordering, self.idle, self.order_seconds), self.orders)

    @property
    def cells(self) -> dict[str, float]:
        return {
            "joins/s": per_second(self.many.joined_at),
            "sockets": self.many.sockets,
            "ms a person": 1000 * _ours(self.person),
            "orders/s": self.orders / self.order_seconds,
            "ms an order": 1000 * _ours(self.order),
            "line ms/s": 1000 * self.line,
            "idle ms/s": 1000 * _ours(self.idle),
        }


@dataclass(frozen=True)
class Storm:
    """A crowd that joined and opened its pages."""

    people: int
    joined_at: list[float]
    sockets: int
    seconds: float
    spent: Spent


def measure(folder: Path) -> bool:
    load = f"{PROCESSORS} processors, load average {os.getloadavg()[0]:.1f}"
    print(f"{PEOPLE} people come in {ARRIVE_SECONDS:g} s, then {BUYERS} buy ({load}).")
    rows: list[Row] = []
    for hosts in HOSTS:
        place = folder / str(hosts)
        place.mkdir(parents=True, exist_ok=True)
        with ClusterSite.started(place, hosts=hosts, stub_gateway=True) as site:
            django.setup()
            connections.close_all()  # those to the servers of the run before
            rows.append(_measure(site, hosts))
        print("\n".join(_lines(rows)[-1:] if rows[1:] else _lines(rows)), flush=True)
    print("\n".join(_lines_by_kind(rows)))
    return all(row.many.sockets >= PEOPLE - INSIDE for row in rows)


def _measure(site: ClusterSite, hosts: int) -> Row:
    """Processor time is that of the whole site."""
    everybody = {"admit_per_second": 0, "max_inside": 2 * BUYERS, "claim_seconds": 600}
    on_sale, seats = make_event_on_sale(BUYERS, knobs=everybody)
    buyers = make_fans(BUYERS, site.url)
    _, seconds, idle = _spent(lambda: time.sleep(IDLE_SECONDS))
    few, many = _storm(site, FEW), _storm(site, PEOPLE)
    headers = [fan.headers for fan in buyers]
    bought, ordering, spent = _spent(lambda: buy(Crowd(site.url, on_sale, ORDER, headers, seats)))
    assert bought.finished == BUYERS, bought.outcomes
    return Row(hosts, _each(idle, seconds), few, many, BUYERS, ordering, spent)


def _lines(rows: list[Row]) -> list[str]:
    """The table with its head."""
    head = f"{'hosts':>5}" + "".join(f"{name:>13}" for name in rows[0].cells)
    return [head] + [
        f"{row.hosts:>5}" + "".join(f"{cell:>13.1f}" for cell in row.cells.values()) for row in rows
    ]


def _lines_by_kind(rows: list[Row]) -> list[str]:
    """Where the milliseconds of a unit are spent."""
    lines = []
    for name in ("person", "order"):
        units: list[Spent] = [getattr(row, name) for row in rows]
        kinds = sorted({kind for unit in units for kind in unit} - NOT_OURS)
        lines.append(f"{'hosts':>5}" + "".join(f"{kind:>12}" for kind in kinds) + f"  ms, {name}")
        for row, unit in zip(rows, units, strict=True):
            cells = "".join(f"{1000 * unit.get(kind, 0):>12.2f}" for kind in kinds)
            lines.append(f"{row.hosts:>5}{cells}")
    return lines


def _storm(site: ClusterSite, people: int) -> Storm:
    knobs = {"admit_per_second": 1, "max_inside": INSIDE, "claim_seconds": 600}
    event, _ = make_event_on_sale(100, knobs=knobs)
    sessions = [fan.headers["Cookie"] for fan in make_fans(people, site.url)]
    found, seconds, spent = _spent(lambda: _run_storm(site.port, event, sessions))
    if len(found["opened_at"]) < people - INSIDE:
        print(f"Not everybody opened a socket: {found['counts']}")
    return Storm(people, found["joined_at"], len(found["opened_at"]), seconds, spent)


def _run_storm(port: int, event: int, sessions: list[str]) -> dict[str, Any]:
    """Everybody joins, opens a socket and hears of each tick until the time is over."""
    begins_at = time.time() + START_SECONDS
    seconds = ARRIVE_SECONDS + SOCKET_SECONDS
    job = Job(port, event, sessions, 1, begins_at, ARRIVE_SECONDS, seconds)
    command = [sys.executable, "-m", "bench.storm_clients"]
    ran = subprocess.run(
        command, input=json.dumps(asdict(job)), capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def _spent(work: Callable[[], Any]) -> tuple[Any, float, Spent]:
    """What it returned, how long it took, and the processor seconds meanwhile."""
    before, began = dict[str, float](machine.cpu_by_kind()), time.monotonic()
    result = work()
    return result, time.monotonic() - began, _less(dict(machine.cpu_by_kind()), before, 1)


def _less(spent: Spent, other: Spent, times: float) -> Spent:
    return {kind: seconds - times * other.get(kind, 0) for kind, seconds in spent.items()}


def _each(spent: Spent, count: float) -> Spent:
    return {kind: seconds / count for kind, seconds in spent.items()}


def _ours(spent: Spent) -> float:
    return sum(seconds for kind, seconds in spent.items() if kind not in NOT_OURS)
