"""The autopilot with real processes: normal load, overload, normal load again, few seats left.

Web, ticker, worker and beat run as in `manage.py up`. The overload requests the event's page as
fast as it is served; the target is a multiple of the page time under normal load.
"""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from bench.database import prepare_database
from bench.load import Load, measure
from tests.faults.site import Site, until
from ticketing.development.embedded import process

PEOPLE, SEATS, FEW = 8_000, 4_000, 60
START, LOWEST, HIGHEST = 20, 4, 22
CROWD, READERS = 24, 2
SETTLE, CALM, STORM, AFTER, SHORT, OFF = 20, 20, 30, 50, 15, 10
CELERY = [sys.executable, "-W", "ignore", "-m", "celery", "-q", "-A", "ticketing"]
PROCESSES = {
    "web": [sys.executable, "manage.py", "serve"],
    "worker": [*CELERY, "worker", "--queues=celery,holds", "--pool=threads", "-c", "4"],
    "ticker": [*CELERY, "worker", "--queues=tick", "--pool=solo", "--hostname=ticker@%h"],
    "beat": [*CELERY, "beat", "--pidfile=", "--schedule="],
}


def run() -> None:
    site = Site(settings="bench.settings")
    site.env |= {"PORT": site.url.rpartition(":")[2], "HOST": "127.0.0.1"}
    try:
        os.environ.update(site.env)
        prepare_database()
        with _processes(site):
            _print_run(site, _sale())
    finally:
        site.stop()


@contextmanager
def _processes(site: Site) -> Iterator[None]:
    began = []
    schedule = f"--schedule={site.servers.var / 'beat'}"
    quiet: Any = {"env": site.env, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    try:
        for command in PROCESSES.values():
            arguments = [schedule if word == "--schedule=" else word for word in command]
            began.append(process.start(arguments, cwd=Path.cwd(), **quiet))
        until(lambda: site.get("/readyz").status_code == 200, seconds=60)
        yield
    finally:
        for each in began:
            process.stop(each)


def _sale() -> Any:
    """An open sale with a long queue and many seats."""
    from tests.making import make_event, make_plan
    from ticketing.core import clock
    from waiting_queue import services
    from waiting_queue.models import SaleQueue

    now = clock.now()
    event = make_event(now, plan=make_plan(rows=0, standing=SEATS))
    rules: Any = {"admit_per_second": START, "max_inside": PEOPLE, "absence_seconds": 3600}
    queue = SaleQueue.objects.create(event=event, opens_at=now, **rules)
    services.move_queue(event_id=queue.pk, to="open", by=None, now=now)
    services.tick_open_queues(now=now)
    for person in range(1_000_001, 1_000_001 + PEOPLE):
        services.join(event_id=queue.pk, person=str(person), now=now)
    return queue


def _print_run(site: Site, queue: Any) -> None:
    from tests.making import make_user
    from ticketing.console import services
    from ticketing.console.services import AutopilotBounds
    from ticketing.core import clock

    page = f"{site.url}/events/{queue.pk}/"
    threading.Thread(target=_read_pages, args=(page,), daemon=True).start()
    time.sleep(SETTLE)
    calm_ms = _last(queue)["page_ms"] or 0
    bounds = AutopilotBounds(LOWEST, HIGHEST, page_ms=max(4 * calm_ms, 100), database_ms=2_000)
    by = make_user(password=None, is_staff=True)
    services.enable_autopilot(event_id=queue.pk, bounds=bounds, by=by, now=clock.now())
    print(f"pages take {calm_ms:.0f} ms without a crowd; the target is {bounds.page_ms:.0f} ms")
    print(f"{'':<26}{'s':>4}{'95 % of pages':>15}{'database':>10}{'rate':>7}  why")
    began = time.monotonic()
    _watch("calm", queue, CALM, began)
    crowd = threading.Thread(target=measure, args=(_load(page, CROWD, STORM),))
    crowd.start()
    _watch(f"a crowd of {CROWD}", queue, STORM, began)
    crowd.join()
    _watch("the crowd is gone", queue, AFTER, began)
    _hold_back_all_but(FEW, queue)
    _watch(f"{FEW} seats left", queue, SHORT, began)
    services.disable_autopilot(event_id=queue.pk, by=by, now=clock.now())
    steps = _steps(queue)
    _watch("switched off", queue, OFF, began)
    _print_checks(queue, steps)


def _read_pages(page: str) -> None:
    """A few requests a second, so that there is something to measure under normal load."""
    import httpx

    with httpx.Client(timeout=60) as client:
        while True:
            try:
                client.get(page)
            except httpx.TransportError:
                return
            time.sleep(1 / READERS)


def _load(page: str, connections: int, seconds: float) -> Load:
    return Load(page, {"Accept": "text/html"}, connections=connections, seconds=seconds)


def _watch(phase: str, queue: Any, seconds: float, began: float) -> None:
    """Print one line every five seconds, as often as the autopilot decides."""
    from ticketing.console.selectors import autopilot_of

    for _ in range(int(seconds // 5)):
        time.sleep(5)
        figures, autopilot = _last(queue), autopilot_of(queue.pk)
        page = "–" if figures["page_ms"] is None else f"{figures['page_ms']:,.0f} ms"
        why = autopilot.why if autopilot and autopilot.is_on else "off"
        wait = max(figures["database_ms"], figures["lock_ms"])
        print(
            f"{phase:<26}{time.monotonic() - began:>4.0f}{page:>15}{wait:>7.0f} ms"
            f"{figures['asked']:>7.2f}  {why}"
        )


def _last(queue: Any) -> dict[str, Any]:
    from ticketing.console import services

    return services.latest_figures([queue.pk])[queue.pk]


def _hold_back_all_but(count: int, queue: Any) -> None:
    """Hold back seats until only this many more people would find one."""
    from ticketing.console.selectors import room_for
    from ticketing.core import clock
    from ticketing.events.models import Seat
    from ticketing.events.services import block_seats
    from waiting_queue import selectors

    overview = selectors.overview(queue, now=clock.now())
    room = room_for(queue.pk, called=overview.ready, inside=overview.inside)
    free = Seat.objects.filter(event_id=queue.pk, state="available").values_list("pk", flat=True)
    taken = list(free[: max(room - count, 0)])
    block_seats(event_id=queue.pk, seat_ids=taken, by=None, reason="bench", now=clock.now())


def _steps(queue: Any) -> list[Any]:
    from waiting_queue.models import QueueChange

    turned = QueueChange.objects.filter(queue_id=queue.pk, what="admit_per_second")
    return list(turned.order_by("pk"))


def _print_checks(queue: Any, steps: list[Any]) -> None:
    by_health = [float(step.after) for step in steps if "stock" not in step.why]
    is_bounded = all(LOWEST <= rate <= HIGHEST for rate in by_health)
    chain = all(a.after == b.before for a, b in pairwise(steps))
    audited = all(step.why.startswith("autopilot: ") and step.by is None for step in steps)
    print(f"steps: {len(steps)}, each audited with its reason: {audited}; a chain: {chain}")
    print(f"within {LOWEST} to {HIGHEST} unless seats were short: {is_bounded}")
    print(f"steps after it was switched off: {len(_steps(queue)) - len(steps)}")
