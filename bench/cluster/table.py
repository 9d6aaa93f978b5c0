"""Joins, sockets and orders with one, two and three application hosts.

Two cores can't show that more hosts do more; they can show that a unit of work costs the same.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
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
INSIDE = 1  # comes in without a socket, and the others wait
# The site is measured without people for long enough that its part can be taken off.
IDLE_SECONDS, START_SECONDS, ARRIVE_SECONDS, SOCKET_SECONDS = 15.0, 3.0, 10.0, 5.0
ORDER = ["join", "socket", "claim", "seat_list", "hold", "pay", "confirm", "settled"]
COLUMNS = ("joins/s", "sockets", "ms a person", "orders/s", "ms an order", "idle ms/s")
NOT_OURS = frozenset({"clients", "outside", "other"})


def measure(folder: Path) -> bool:
    rows: list[dict[str, float]] = []
    load = f"{PROCESSORS} processors, load average {os.getloadavg()[0]:.1f}"
    print(f"{PEOPLE} people come in {ARRIVE_SECONDS:g} s, then {BUYERS} buy ({load}).")
    print(f"{'hosts':>5}" + "".join(f"{name:>13}" for name in COLUMNS), flush=True)
    for hosts in HOSTS:
        place = folder / str(hosts)
        place.mkdir(parents=True, exist_ok=True)
        with ClusterSite.started(place, hosts=hosts, stub_gateway=True) as site:
            django.setup()
            connections.close_all()  # those to the servers of the run before
            row = _measure(site)
        rows.append(row)
        print(f"{hosts:>5}" + "".join(f"{row[name]:>13.1f}" for name in COLUMNS), flush=True)
    return all(row["sockets"] >= PEOPLE - INSIDE for row in rows)


def _measure(site: ClusterSite) -> dict[str, float]:
    """Processor time is that of the whole site, less what it spends while nobody comes."""
    knobs = {"admit_per_second": 1, "max_inside": INSIDE, "claim_seconds": 600}
    waiting, _ = make_event_on_sale(100, knobs=knobs)
    everybody = {"admit_per_second": 0, "max_inside": 2 * BUYERS, "claim_seconds": 600}
    on_sale, seats = make_event_on_sale(BUYERS, knobs=everybody)
    people, buyers = make_fans(PEOPLE, site.url), make_fans(BUYERS, site.url)
    seconds, idle = _spent(lambda: time.sleep(IDLE_SECONDS))[1:]
    idle /= seconds
    sessions = [fan.headers["Cookie"] for fan in people]
    storm, seconds, spent = _spent(lambda: _storm(site.port, waiting, sessions))
    if len(storm["opened_at"]) < PEOPLE - INSIDE:
        print(f"Not everybody opened a socket: {storm['counts']}")
    headers = [fan.headers for fan in buyers]
    bought, ordering, ordered = _spent(lambda: buy(Crowd(site.url, on_sale, ORDER, headers, seats)))
    assert bought.finished == BUYERS, bought.outcomes
    return {
        "joins/s": per_second(storm["joined_at"]),
        "sockets": float(len(storm["opened_at"])),
        "ms a person": 1000 * (spent - idle * seconds) / PEOPLE,
        "orders/s": BUYERS / bought.seconds,
        "ms an order": 1000 * (ordered - idle * ordering) / BUYERS,
        "idle ms/s": 1000 * idle,
    }


def _storm(port: int, event: int, sessions: list[str]) -> dict[str, Any]:
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


def _spent(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """What it returned, how long it took, and the processor seconds of the site meanwhile."""
    before, began = _site_seconds(), time.monotonic()
    result = work()
    return result, time.monotonic() - began, _site_seconds() - before


def _site_seconds() -> float:
    spent = machine.cpu_by_kind()
    return sum(seconds for kind, seconds in spent.items() if kind not in NOT_OURS)
