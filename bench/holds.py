"""Holds over HTTP compared with bare views; many people on one seat; sold out; best available."""

import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bench.database import prepare_database
from bench.hold_clients import HoldClient, HoldTimings, run_clients
from tests.faults.site import Site

SESSIONS, HOLDS_EACH, ROUNDS, WORKERS = 32, 40, 3, 2
CROWDS = (30, 1_000)
PRESSES = 100
STANDING = 1_000


@dataclass(frozen=True)
class Fan:
    id: int
    headers: dict[str, str]


def run() -> None:
    site = Site(workers=WORKERS, settings="bench.settings")
    try:
        os.environ.update(site.env)
        prepare_database()
        fans = make_fans(max(CROWDS), site.url)
        site.start_web()
        _print_distinct(site, fans[:SESSIONS])
        _print_pgbench(site, fans[:SESSIONS])
        _print_standing(site, fans[:STANDING])
        for crowd in CROWDS:
            _print_one_seat(site, fans[:crowd])
        _print_sold_out(site, fans[:SESSIONS])
        _print_best(site, fans[:PRESSES])
    finally:
        site.stop()


def make_fans(count: int, origin: str) -> list[Fan]:
    from tests.making import make_user
    from tests.waiting_queue.api.conftest import logged_in

    users = [make_user(password=None) for _ in range(count)]
    return [
        Fan(user.pk, {"Cookie": f"sessionid={logged_in(user)}", "Origin": origin}) for user in users
    ]


def _event(
    fans: list[Fan], *, rows: int, seats_per_row: int, standing: int = 0
) -> tuple[int, list[int]]:
    """An event on sale with an open queue, and all fans inside."""
    from reservations import services
    from tests.making import make_event, make_plan, seat_ids
    from ticketing.core import clock
    from waiting_queue import services as queue
    from waiting_queue.models import SaleQueue

    now, plan = clock.now(), make_plan(rows=rows, seats_per_row=seats_per_row, standing=standing)
    event = make_event(now, plan=plan, seats_per_person=30_000)
    knobs = {"admit_per_second": 0, "max_inside": 10_000, "queues_per_person": 0}
    SaleQueue.objects.create(event=event, opens_at=now, **knobs)
    queue.move_queue(event_id=event.pk, to="open", by=None, now=now)
    for fan in fans:
        queue.join(event_id=event.pk, person=str(fan.id), now=now)
    services.recount_seats(event_id=event.pk)
    return event.pk, seat_ids(event)


def _clients(fans: list[Fan], address: Callable[[Fan], str], bodies: Any) -> list[HoldClient]:
    return [
        HoldClient(address(fan), fan.headers, bodies(number)) for number, fan in enumerate(fans)
    ]


def _print_distinct(site: Site, fans: list[Fan]) -> None:
    """Measure in turns, so that a slow moment of the machine affects all of them."""
    per_round = len(fans) * HOLDS_EACH
    event, seats = _event(fans, rows=2 * ROUNDS * 8, seats_per_row=-(-per_round // 8))
    turns: dict[str, list[HoldTimings]] = {"only the SQL": [], "hold": []}
    ours = f"{site.url}/api/v1/events/{event}/reservations/"
    for _ in range(ROUNDS):
        for name, address in (
            ("only the SQL", lambda fan: f"{site.url}/bench/hold/{event}/{fan.id}/"),
            ("hold", lambda _: ours),
        ):
            mine, seats = seats[:per_round], seats[per_round:]
            bodies = lambda n, mine=mine: [{"seats": [s]} for s in mine[n :: len(fans)]]  # noqa: E731
            turns[name].append(run_clients(_clients(fans, address, bodies)))
    print(f"{len(fans)} sessions, seats of their own")
    _print_table(turns, floor="only the SQL")


def _print_pgbench(site: Site, fans: list[Fan]) -> None:
    from bench import pgbench

    event, seats = _event(fans, rows=40, seats_per_row=100)
    speed = pgbench.holds_per_second(
        site.postgres._binary("pgbench"),
        site.env["DATABASE_URL"],
        event=event,
        first_fan=fans[0].id,
        first_seat=seats[0],
        sessions=len(fans),
    )
    held = _held(event)
    print(f"{'pgbench, the same SQL':<30}{speed:>12,.0f}{'':>30}  {held:,} held")


def _held(event: int) -> int:
    from reservations.models import Reservation

    return Reservation.objects.filter(event_id=event, state="held").count()


def _print_standing(site: Site, fans: list[Fan]) -> None:
    """Everyone takes a place in one standing section at once, compared with seats of their own."""
    event, seats = _event(fans, rows=20, seats_per_row=-(-len(fans) // 20), standing=2 * len(fans))
    address = f"{site.url}/api/v1/events/{event}/reservations/"
    own = run_clients(_clients(fans, lambda _: address, lambda n: [{"seats": [seats[n]]}]))
    wish = [{"places": {"section": "F", "quantity": 1}}]
    standing = run_clients(_clients(fans, lambda _: address, lambda _: wish))
    print(f"\n{len(fans)} at once, a place each in one standing section")
    _print_table({"seats of their own": [own], "standing": [standing]}, floor="seats of their own")


def _print_one_seat(site: Site, fans: list[Fan]) -> None:
    """Then the same crowd once more: all of them lose, and what that costs is counted."""
    event, (seat, *_) = _event(fans, rows=1, seats_per_row=4)
    ours = f"{site.url}/api/v1/events/{event}/reservations/"
    crowd = _clients(fans, lambda _: ours, lambda _: [{"seats": [seat]}])
    bare = f"{site.url}/bench/nothing/api/"
    nothing = run_clients(_clients(fans, lambda _: bare, lambda _: [{"seats": [seat]}]))
    won, before = run_clients(crowd), _transactions()
    lost, spent = run_clients(crowd), _transactions() - before
    print(f"\n{len(fans)} buyers on one seat; {spent} transactions when all of them lose")
    turns = {"a call that does nothing": [nothing], "one wins": [won], "all lose": [lost]}
    _print_table(turns, floor="a call that does nothing")


def _print_sold_out(site: Site, fans: list[Fan]) -> None:
    from reservations import services
    from ticketing.events.models import Seat

    event, (seat, *_) = _event(fans, rows=1, seats_per_row=4)
    Seat.objects.filter(event_id=event).update(state="sold")
    services.recount_seats(event_id=event)
    bodies = lambda _: [{"seats": [seat]}] * HOLDS_EACH  # noqa: E731
    turns: dict[str, list[HoldTimings]] = {"a call that does nothing": [], "sold out": []}
    for _ in range(ROUNDS):
        for name, path in (
            ("a call that does nothing", "/bench/nothing/api/"),
            ("sold out", f"/api/v1/events/{event}/reservations/"),
        ):
            turns[name].append(
                run_clients(_clients(fans, lambda _, p=path: f"{site.url}{p}", bodies))
            )
    print(f"\nsold out, {len(fans)} sessions")
    _print_table(turns, floor="a call that does nothing")


def _print_best(site: Site, fans: list[Fan]) -> None:
    event, _ = _event(fans, rows=200, seats_per_row=100)
    time.sleep(1)  # gives autovacuum time to process the new rows
    address = f"{site.url}/api/v1/events/{event}/reservations/"
    pressed = run_clients(
        _clients(fans, lambda _: address, lambda _: [{"best": {"grade": "R", "quantity": 2}}])
    )
    print(f"\nbest available, {len(fans)} at once, 20,000 seats")
    _print_table({"two seats": [pressed]}, floor="two seats")


def _print_table(turns: dict[str, list[HoldTimings]], *, floor: str) -> None:
    print(f"{'':<30}{'requests/s':>12}{'of floor':>10}{'median ms':>11}{'p99 ms':>9}  answers")
    base = statistics.median(turn.per_second for turn in turns[floor])
    for name, its in turns.items():
        speed, median, p99 = (
            statistics.median(getattr(turn, what) for turn in its)
            for what in ("per_second", "median_ms", "p99_ms")
        )
        answers = ", ".join(f"{n} × {status}" for status, n in sorted(its[0].statuses.items()))
        print(
            f"{name:<30}{speed:>12,.0f}{speed / base:>10.2f}{median:>11.1f}{p99:>9.1f}  {answers}"
        )


def _transactions() -> int:
    """Transactions committed in the database so far; an idle connection reports after 10 s."""
    from django.db import connection

    time.sleep(11)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_stat_clear_snapshot(), xact_commit FROM pg_stat_database "
            "WHERE datname = current_database()"
        )
        return cursor.fetchone()[1]
