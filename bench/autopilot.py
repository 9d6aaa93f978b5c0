"""The autopilot with real processes: normal load, overload, normal load again, few seats left.

Web, ticker, worker and beat run as in `manage.py up`. The overload requests the event's page as
fast as it is served; the target is a multiple of the page time under normal load.
"""

import threading
import time
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

from bench.database import prepare_database
from bench.load import Load, measure
from bench.options import Options
from bench.report import Report, Row
from bench.site import BenchSite

PEOPLE, SEATS, FEW = 8_000, 4_000, 60
START, LOWEST, HIGHEST = 20, 4, 22
CROWD, READERS = 24, 2
SETTLE, CALM, STORM, AFTER, SHORT, OFF = 20, 20, 30, 50, 15, 10


def run(options: Options) -> Report:
    site = BenchSite(replace(options, processes=1))
    report = site.report("autopilot")
    try:
        prepare_database()
        queue = _sale()  # first: in an empty database `up` would make the demo
        site.start_everything()
        _report_run(report, site, queue)
    finally:
        site.stop()
    return report


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
    services.move_queue(event_id=queue.pk, to=SaleQueue.State.OPEN, by=None, now=now)
    services.tick_open_queues(now=now)
    for person in range(1_000_001, 1_000_001 + PEOPLE):
        services.join(event_id=queue.pk, person=str(person), now=now)
    return queue


def _report_run(report: Report, site: BenchSite, queue: Any) -> None:
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
    began, rows = time.monotonic(), dict[str, Row]()
    watch = partial(_watch, rows, queue, began)
    watch("calm", CALM)
    crowd = threading.Thread(target=measure, args=(_load(page, CROWD, STORM),))
    crowd.start()
    watch(f"a crowd of {CROWD}", STORM)
    crowd.join()
    watch("the crowd is gone", AFTER)
    _hold_back_all_but(FEW, queue)
    watch(f"{FEW} seats left", SHORT)
    services.disable_autopilot(event_id=queue.pk, by=by, now=clock.now())
    steps = _steps(queue)
    watch("switched off", OFF)
    title = f"pages take {calm_ms:.0f} ms, aim {bounds.page_ms:.0f} ms"
    report.table(title, rows)
    report.table("checks", _checks(queue, steps))


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


def _watch(rows: dict[str, Row], queue: Any, began: float, phase: str, seconds: float) -> None:
    """Note one row every five seconds, as often as the autopilot decides."""
    from ticketing.console.selectors import autopilot_of

    for _ in range(int(seconds // 5)):
        time.sleep(5)
        figures, autopilot = _last(queue), autopilot_of(queue.pk)
        rows[f"{phase}, {time.monotonic() - began:.0f} s"] = {
            "page p95": figures["page_ms"] or "–",
            "database": max(figures["database_ms"], figures["lock_ms"]),
            "rate": figures["asked"],
            "why": autopilot.why if autopilot and autopilot.is_on else "off",
        }


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


def _checks(queue: Any, steps: list[Any]) -> dict[str, Row]:
    by_health = [float(step.after) for step in steps if "stock" not in step.why]
    is_bounded = all(LOWEST <= rate <= HIGHEST for rate in by_health)
    is_chain = all(a.after == b.before for a, b in pairwise(steps))
    is_audited = all(step.why.startswith("autopilot: ") and step.by is None for step in steps)
    return {
        "steps": {"": len(steps)},
        "each audited with its reason": {"": str(is_audited)},
        "a chain": {"": str(is_chain)},
        f"within {LOWEST} to {HIGHEST} unless seats were short": {"": str(is_bounded)},
        "steps after it was switched off": {"": len(_steps(queue)) - len(steps)},
    }
