"""Polls and joins over HTTP, compared with a raw ASGI path that makes one Redis call."""

import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

from bench.load import Load, LoadTimings, measure
from tests.faults.site import Site, until
from ticketing.development.embedded import process

HELLO, FLOOR = "raw ASGI, hello", "raw ASGI, one EVALSHA"
ROUNDS = 3
NEWCOMERS = 3_000  # per round


@dataclass(frozen=True)
class Fan:
    """A person waiting in an open queue, and what their browser sends."""

    event_id: int
    person: str
    token: str
    session: str


def measure_on(site: Site) -> None:
    fan = _fan_in_line()
    server = _start(site)
    try:
        with every_second(tick):
            _print(site, fan)
    finally:
        process.stop(server)


def tick() -> None:
    from ticketing.core import clock
    from waiting_queue import services

    services.tick_open_queues(now=clock.now())


@contextmanager
def every_second(work: Callable[[], None]) -> Iterator[None]:
    """Call `work` every second in a thread, as the scheduler does."""
    stop = threading.Event()

    def repeat() -> None:
        due = time.monotonic()
        while not stop.wait(max(due - time.monotonic(), 0)):
            work()
            due += 1

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _fan_in_line() -> Fan:
    from django.conf import settings
    from django.test import Client

    from tests.making import make_event, make_user
    from ticketing.core import clock
    from waiting_queue import services
    from waiting_queue.models import SaleQueue

    now, user, browser = clock.now(), make_user(), Client()
    browser.force_login(user)
    queue = SaleQueue.objects.create(event=make_event(now), opens_at=now)
    for state in (SaleQueue.State.OPEN, SaleQueue.State.PAUSED):
        services.move_queue(event_id=queue.pk, to=state, by=None, now=now)
    person = str(user.pk)
    standing = services.join(event_id=queue.pk, person=person, now=now)
    token = services.token_of(queue.pk, person, standing)
    session = browser.cookies[settings.SESSION_COOKIE_NAME].value
    return Fan(queue.pk, person, token, f"{settings.SESSION_COOKIE_NAME}={session}")


def _newcomers() -> list[str]:
    """Session cookies of people who are in no queue yet."""
    from django.conf import settings

    from tests.waiting_queue.api.conftest import logged_in
    from ticketing.accounts.models import User

    emails = [f"{uuid4().hex}@example.com" for _ in range(NEWCOMERS)]
    people = User.objects.bulk_create(User(email=email, password="!") for email in emails)
    return [f"{settings.SESSION_COOKIE_NAME}={logged_in(user)}" for user in people]


def _start(site: Site) -> subprocess.Popen[bytes]:
    options = ["--port", site.url.rpartition(":")[2], "--log-level", "warning", "--no-access-log"]
    command = [sys.executable, "-m", "uvicorn", "bench.asgi:application", *options]
    with site.log.open("wb") as log:
        server = process.start(command, env=site.env, stdout=log, stderr=log, cwd=Path.cwd())
    until(lambda: site.get("/healthz").status_code == 200, seconds=30)
    return server


def _print(site: Site, fan: Fan) -> None:
    """Measure in turns, so that a slow moment of the machine affects all of them."""
    queue = f"{site.url}/api/v1/events/{fan.event_id}/queue/"
    own = {"Origin": site.url, "Content-Length": "0"}
    in_line = own | {"Cookie": fan.session}
    loads = {
        HELLO: Load(f"{site.url}/bench/hello", {}),
        FLOOR: Load(f"{site.url}/bench/raw/{fan.event_id}/{fan.person}", {}),
        "standing poll, queue token": Load(queue, {"Authorization": f"Bearer {fan.token}"}),
        "join of one who is in line, session": Load(queue, in_line, method="POST"),
    }
    joins = "first join, session"
    loads[joins] = Load(queue, own, method="POST")
    rounds = []
    for _ in range(ROUNDS):
        loads[joins] = replace(loads[joins], cookies=_newcomers())
        rounds.append({name: measure(load) for name, load in loads.items()})
    print(f"\n{'':<38}{'requests/s':>12}{'of floor':>10}{'p99 ms':>9}  statuses")
    floor = _speed([turn[FLOOR] for turn in rounds])
    for name in loads:
        turns = [turn[name] for turn in rounds]
        statuses = " ".join(sorted({status for turn in turns for status in turn.statuses}))
        p99 = statistics.median(turn.p99_ms for turn in turns)
        speed = _speed(turns)
        print(f"{name:<38}{speed:>12,.0f}{speed / floor:>10.2f}{p99:>9.1f}  {statuses}")


def _speed(turns: list[LoadTimings]) -> float:
    return statistics.median(turn.per_second for turn in turns)
