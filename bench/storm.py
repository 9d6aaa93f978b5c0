"""The opening minute: thousands of people join and open a socket within seconds.

The crowd runs on the same machine. The queue calls people meanwhile, who claim their turn, and
somebody loads the event page five times a second.
"""

import json
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import httpx

from bench.database import prepare_database
from bench.live import Servers, servers_of
from bench.options import Options
from bench.queue_http import every_second, tick
from bench.report import Report, Row, Value
from bench.site import BenchSite
from bench.storm_clients import Figures, Job

EVENT = 7
PEOPLE = 10_000
ARRIVE_SECONDS, MORE_SECONDS = 10.0, 50.0
CLIENT_PROCESSES = 2
PER_SECOND, MAX_INSIDE = 20, 100_000
CLAIM_SECONDS = 30
START_SECONDS = 8.0  # the client processes load, and the servers begin to measure their lag
OPENING_SECONDS = 3.0  # after the last arrival


@dataclass
class Storm:
    """What the crowd met, and what it cost."""

    crowd: Figures = field(default_factory=Figures)
    pages: list[float] = field(default_factory=list)
    page_statuses: Counter[int] = field(default_factory=Counter)
    web_cpu: list[float] = field(default_factory=list)  # of each process, in all
    opening_cpu: float = 0  # of all, until a moment after the last arrival
    overflows: int = 0


def run(options: Options) -> Report:
    people = options.people or PEOPLE
    site = BenchSite(options)
    report = site.report("storm")
    try:
        prepare_database()
        sessions = prepare_people(people)
        with servers_of(site, site.processes) as servers, every_second(tick):
            storm = _measure(servers, sessions)
        _tabulate(report, storm, people)
    finally:
        site.stop()
    return report


def _measure(servers: Servers, sessions: list[str]) -> Storm:
    storm, stop = Storm(), threading.Event()
    before, overflows = servers.cpu_each(), _overflows()
    page = threading.Thread(target=_load_page, args=(servers.port, storm, stop))
    opening = threading.Timer(
        START_SECONDS + ARRIVE_SECONDS + OPENING_SECONDS, _note_opening, (servers, storm)
    )
    clients = [
        _start_client(servers.port, sessions[number::CLIENT_PROCESSES], number)
        for number in range(CLIENT_PROCESSES)
    ]
    page.start()
    opening.start()
    for client in clients:
        storm.crowd.add(json.loads(client.communicate()[0]))
    stop.set()
    page.join()
    opening.join()
    storm.opening_cpu -= sum(before)
    storm.web_cpu = [after - was for after, was in zip(servers.cpu_each(), before, strict=True)]
    storm.overflows = _overflows() - overflows
    return storm


def _note_opening(servers: Servers, storm: Storm) -> None:
    storm.opening_cpu = servers.cpu()


def _start_client(port: int, sessions: list[str], number: int) -> subprocess.Popen[str]:
    seconds = ARRIVE_SECONDS + MORE_SECONDS
    begins_at = time.time() + START_SECONDS
    job = Job(port, EVENT, sessions, 1 + 20 * number, begins_at, ARRIVE_SECONDS, seconds)
    command = [sys.executable, "-m", "bench.storm_clients"]
    client = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert client.stdin is not None
    client.stdin.write(json.dumps(asdict(job)))
    client.stdin.close()
    client.stdin = None
    return client


def _load_page(port: int, storm: Storm, stop: threading.Event) -> None:
    with httpx.Client(base_url=f"http://localhost:{port}", timeout=60) as http:
        while not stop.wait(0.2):
            began = time.monotonic()
            try:
                storm.page_statuses[http.get(f"/events/{EVENT}/").status_code] += 1
            except httpx.TransportError:
                storm.page_statuses[0] += 1
            storm.pages.append(time.monotonic() - began)


def prepare_people(people: int) -> list[str]:
    """An open queue, and the session cookies of as many people as there are."""
    from django.conf import settings
    from django.core.management import call_command

    from tests.making import make_event
    from ticketing.accounts.models import User
    from ticketing.accounts.sessions import SessionStore
    from ticketing.core import clock
    from waiting_queue import services
    from waiting_queue.models import SaleQueue

    call_command("collectstatic", interactive=False, verbosity=0)
    now = clock.now()
    make_event(now, id=EVENT)
    SaleQueue.objects.create(
        event_id=EVENT,
        opens_at=now,
        capacity=10**6,
        max_inside=MAX_INSIDE,
        stock_factor=10**6,  # nobody buys: the few seats are for everybody
        admit_per_second=PER_SECOND,
        claim_seconds=CLAIM_SECONDS,
    )
    services.move_queue(event_id=EVENT, to=SaleQueue.State.OPEN, by=None, now=now)
    users = User.objects.bulk_create(
        User(email=f"{uuid4().hex}@example.com", password="!", email_confirmed_at=now)
        for _ in range(people)
    )
    sessions = {f"{uuid4().hex}": user for user in users}
    SessionStore.create_all(sessions, expires=now + timedelta(days=1))
    return [f"{settings.SESSION_COOKIE_NAME}={key}" for key in sessions]


def _overflows() -> int:
    """Connections that the kernel dropped because a listen queue was full, since it was started."""
    names, values = [
        line.split()
        for line in Path("/proc/net/netstat").read_text().splitlines()
        if line.startswith("TcpExt")
    ]
    return int(values[names.index("ListenOverflows")])


def _tabulate(report: Report, storm: Storm, people: int) -> None:
    crowd = storm.crowd
    report.table(
        f"{people:,} people in {ARRIVE_SECONDS:g} s",
        {
            "joins": _times(crowd.joins),
            "from connecting to the first frame": _times(crowd.handshakes)
            | {"a second": per_second(crowd.opened_at)},
            "from joining to the first frame": _times(crowd.waits),
            "event pages": _times(storm.pages),
            "the crowd came too late by": _times(crowd.late),
            "the crowd read too late by (not counted above)": _times(crowd.read_lags),
        },
    )
    report.table(
        "what happened",
        {
            "joins without an answer": {"count": people - len(crowd.joins)},
            **{name: {"count": count} for name, count in sorted(crowd.counts.items())},
            **{
                f"event page {status}": {"count": count}
                for status, count in sorted(storm.page_statuses.items())
            },
            "listen overflows": {"count": storm.overflows},
        },
    )
    report.table(
        "processor time",
        {
            f"web, a person, in the first {ARRIVE_SECONDS + OPENING_SECONDS:g} s": {
                "ms": 1000 * storm.opening_cpu / people
            },
            "web, in all": {"ms": 1000 * sum(storm.web_cpu)},
            "share of the busier process": {"ms": max(storm.web_cpu) / sum(storm.web_cpu)},
            "the crowd, a person": {"ms": 1000 * crowd.cpu / people},
        },
    )


def _times(times: list[float]) -> Row:
    shares = {"p50 s": 0.5, "p95 s": 0.95, "p99 s": 0.99}
    return {"count": len(times)} | {name: _share(times, share) for name, share in shares.items()}


def _share(times: list[float], share: float) -> Value:
    if not times:
        return "–"
    return sorted(times)[min(int(len(times) * share), len(times) - 1)]


def per_second(times: list[float]) -> float:
    """Between the first and the last tenth, when as many as possible happen."""
    if len(times) < 10:
        return 0
    first, *_, last = statistics.quantiles(times, n=10)
    return 0.8 * len(times) / max(last - first, 0.001)
