"""Holds over HTTP compared with bare views; many people on one seat; sold out; best available."""

import statistics
import time
from collections import Counter
from dataclasses import dataclass
from typing import Any

from bench import machine
from bench.database import prepare_database
from bench.hold_clients import HoldClient, HoldTimings, run_clients
from bench.options import Options
from bench.people import Fan, make_event_on_sale, make_fans
from bench.report import Report, Row
from bench.site import BenchSite

SESSIONS, HOLDS_EACH = 32, 40
SEATS_PER_PERSON = 4  # the default of an event
SQL_HOLDS_EACH = 400
CROWDS = (30, 1_000)
PRESSES = 100
STANDING = 1_000
IN_ORDER = 10_000
NOTHING, ONLY_SQL = "a call that does nothing", "only the SQL"


@dataclass(frozen=True)
class Turn:
    """One run of a crowd, and what each of its requests cost the site."""

    timings: HoldTimings
    web_ms: float
    postgres_ms: float
    valkey_ms: float

    @property
    def site_ms(self) -> float:
        return self.web_ms + self.postgres_ms + self.valkey_ms


def run_turn(clients: list[HoldClient]) -> Turn:
    before = machine.cpu_by_kind()
    timings = run_clients(clients)
    spent, thousands = machine.cpu_by_kind(), sum(timings.statuses.values()) / 1000
    spent.subtract(before)
    kinds = ("web", "PostgreSQL", "Valkey")
    return Turn(timings, *(spent[kind] / thousands for kind in kinds))


def run(options: Options) -> Report:
    site = BenchSite(options)
    report = site.report("holds")
    try:
        prepare_database()
        sessions = options.people or SESSIONS
        fans = make_fans(max(*CROWDS, sessions * SQL_HOLDS_EACH // SEATS_PER_PERSON), site.url)
        site.start_web()
        _report_distinct(report, site, fans, options)
        fans = fans[: max(CROWDS)]
        _report_standing(report, site, fans[:STANDING])
        for crowd in CROWDS:
            _report_one_seat(report, site, fans[:crowd])
        _report_in_order(report, site, fans)
        _report_sold_out(report, site, fans[:sessions], options.rounds)
        _report_best(report, site, fans[:PRESSES])
    finally:
        site.stop()
    return report


def _event(fans: list[Fan], seats: int, **more: int) -> tuple[int, list[int]]:
    """An event on sale with an open queue, and all fans inside."""
    from ticketing.core import clock
    from waiting_queue import services as queue

    knobs = {"admit_per_second": 0, "max_inside": 10_000}
    event, ids = make_event_on_sale(seats, knobs=knobs, across=100, **more)
    for fan in fans:
        queue.join(event_id=event, person=str(fan.id), now=clock.now())
    return event, ids


def _clients(fans: list[Fan], address: str, bodies: Any) -> list[HoldClient]:
    """A connection for each fan."""
    return [
        HoldClient([(address, fan.headers, body) for body in bodies(number)])
        for number, fan in enumerate(fans)
    ]


def _report_distinct(report: Report, site: BenchSite, fans: list[Fan], options: Options) -> None:
    """Measure in turns, so that a slow moment of the machine affects all of them.

    Nobody holds more seats than an ordinary event allows: all that somebody has are counted by
    each hold. The first turn of each kind is not counted: connections plan their statements.
    """
    sessions = options.people or SESSIONS
    per_turn = sessions * HOLDS_EACH
    people = per_turn // SEATS_PER_PERSON
    event, seats = _event(fans[:people], 2 * (options.rounds + 1) * per_turn)
    turns: dict[str, list[Turn]] = {ONLY_SQL: [], "hold": []}
    for _ in range(options.rounds + 1):
        for name, path in (
            (ONLY_SQL, "/bench/hold/{event}/{fan}/"),
            ("hold", "/api/v1/events/{event}/reservations/"),
        ):
            requests = [
                (site.url + path.format(event=event, fan=fan.id), fan.headers, {"seats": [seat]})
                for fan, seat in zip(fans[:people] * SEATS_PER_PERSON, seats, strict=False)
            ]
            del seats[:per_turn]
            turns[name].append(
                run_turn([HoldClient(requests[number::sessions]) for number in range(sessions)])
            )
            _release(event)
    turns = {name: its[1:] for name, its in turns.items()}
    title = f"{sessions} connections, seats of their own"
    _report_table(report, title, turns, floor=ONLY_SQL)
    alone, cpu_ms = _pgbench(site, fans, sessions)
    over_http = _median(turns["hold"], "per_second")
    site_ms = statistics.median(turn.site_ms for turn in turns["hold"])
    report.table(
        "pgbench",
        {
            "the same SQL": {"holds/s": alone, "CPU ms": cpu_ms},
            "hold over HTTP": {
                "holds/s": over_http,
                "CPU ms": site_ms,
                "of pgbench": over_http / alone,
                "per processor used": cpu_ms / site_ms,
            },
        },
    )


def _release(event: int) -> None:
    """Everybody lets their seats go; those seats are not used again."""
    from reservations.models import Reservation

    Reservation.objects.filter(event_id=event, state="held").update(state="released")


def _pgbench(site: BenchSite, fans: list[Fan], sessions: int) -> tuple[float, float]:
    """Holds a second, and the processor time of PostgreSQL for one."""
    from bench import pgbench

    holds = sessions * SQL_HOLDS_EACH
    assert fans[-1].id - fans[0].id >= holds // SEATS_PER_PERSON - 1
    event, seats = _event([], holds)
    before = machine.cpu_by_kind()["PostgreSQL"]
    speed = pgbench.holds_per_second(
        site.postgres._binary("pgbench"),
        site.env["DATABASE_URL"],
        event=event,
        first_fan=fans[0].id,
        first_seat=seats[0],
        sessions=sessions,
        holds_each=SQL_HOLDS_EACH,
        seats_per_person=SEATS_PER_PERSON,
    )
    spent = machine.cpu_by_kind()["PostgreSQL"] - before
    assert _held(event) == holds
    return speed, 1000 * spent / holds


def _held(event: int) -> int:
    from reservations.models import Reservation

    return Reservation.objects.filter(event_id=event, state="held").count()


def _report_standing(report: Report, site: BenchSite, fans: list[Fan]) -> None:
    """Everyone takes a place in one standing section at once, compared with seats of their own."""
    event, seats = _event(fans, len(fans), standing=2 * len(fans))
    address = f"{site.url}/api/v1/events/{event}/reservations/"
    own = run_turn(_clients(fans, address, lambda n: [{"seats": [seats[n]]}]))
    wish = [{"places": {"section": "F", "quantity": 1}}]
    standing = run_turn(_clients(fans, address, lambda _: wish))
    title = f"{len(fans)} at once, a place each in one section"
    turns = {"seats of their own": [own], "standing": [standing]}
    _report_table(report, title, turns, floor="seats of their own")


def _report_one_seat(report: Report, site: BenchSite, fans: list[Fan]) -> None:
    """Then the same crowd once more: all of them lose, and what that costs is counted."""
    event, (seat, *_) = _event(fans, 4)
    ours = f"{site.url}/api/v1/events/{event}/reservations/"
    crowd = _clients(fans, ours, lambda _: [{"seats": [seat]}])
    bare = f"{site.url}/bench/nothing/api/"
    nothing = run_turn(_clients(fans, bare, lambda _: [{"seats": [seat]}]))
    won, before = run_turn(crowd), _transactions()
    lost, spent = run_turn(crowd), _transactions() - before
    title = f"{len(fans)} buyers on one seat"
    _report_table(
        report, title, {NOTHING: [nothing], "one wins": [won], "all lose": [lost]}, floor=NOTHING
    )
    report.table(f"{title}, all lose", {"transactions": {"count": spent}})


def _report_in_order(report: Report, site: BenchSite, fans: list[Fan]) -> None:
    """Everybody asks for one seat asynchronously; a worker gives it to the first of them.

    The worker begins when all requests are accepted, so that none of them is refused by the gate.
    """
    from reservations import services
    from reservations.models import HoldRequest
    from ticketing.core import clock

    event, (seat, *_) = _event(fans, 4)
    address = f"{site.url}/api/v1/events/{event}/reservations/?mode=async"
    bare = f"{site.url}/bench/nothing/api/"
    bodies = [{"seats": [seat]}] * (IN_ORDER // len(fans))
    nothing = run_turn(_clients(fans, bare, lambda _: bodies))
    asked = run_turn(_clients(fans, address, lambda _: bodies))
    title = f"{IN_ORDER:,} requests for one seat, in order"
    _report_table(report, title, {NOTHING: [nothing], "accepted": [asked]}, floor=NOTHING)

    began, own, before = time.perf_counter(), time.process_time(), machine.cpu_by_kind()
    while services.process_hold_requests(now=clock.now()):
        pass
    took, own = time.perf_counter() - began, time.process_time() - own
    spent = machine.cpu_by_kind()["PostgreSQL"] - before["PostgreSQL"]
    states = Counter(HoldRequest.objects.filter(event_id=event).values_list("state", flat=True))
    assert states == {"success": 1, "failed": IN_ORDER - 1}
    assert _held(event) == 1
    figures = {"s": took, "worker CPU ms": 1000 * own / IN_ORDER}
    figures |= {"PostgreSQL CPU ms": 1000 * spent / IN_ORDER}
    figures["all CPU ms"] = sum((asked.site_ms, *list(figures.values())[1:]))
    report.table(f"{title}: one wins, the others are told", {"per request": figures})


def _report_sold_out(report: Report, site: BenchSite, fans: list[Fan], rounds: int) -> None:
    from reservations import services
    from ticketing.events.models import Seat

    event, (seat, *_) = _event(fans, 4)
    Seat.objects.filter(event_id=event).update(state="sold")
    services.recount_seats(event_id=event)
    bodies = lambda _: [{"seats": [seat]}] * HOLDS_EACH  # noqa: E731
    turns: dict[str, list[Turn]] = {NOTHING: [], "sold out": []}
    for _ in range(rounds):
        for name, path in (
            (NOTHING, "/bench/nothing/api/"),
            ("sold out", f"/api/v1/events/{event}/reservations/"),
        ):
            turns[name].append(run_turn(_clients(fans, f"{site.url}{path}", bodies)))
    _report_table(report, f"sold out, {len(fans)} sessions", turns, floor=NOTHING)


def _report_best(report: Report, site: BenchSite, fans: list[Fan]) -> None:
    event, _ = _event(fans, 20_000)
    time.sleep(1)  # gives autovacuum time to process the new rows
    address = f"{site.url}/api/v1/events/{event}/reservations/"
    pressed = run_turn(_clients(fans, address, lambda _: [{"best": {"grade": "R", "quantity": 2}}]))
    title = f"best available, {len(fans)} at once, 20,000 seats"
    _report_table(report, title, {"two seats": [pressed]}, floor="two seats")


def _report_table(report: Report, title: str, turns: dict[str, list[Turn]], *, floor: str) -> None:
    base = _median(turns[floor], "per_second")
    rows: dict[str, Row] = {}
    for name, its in turns.items():
        statuses = sorted(its[0].timings.statuses.items())
        rows[name] = {
            "requests/s": _median(its, "per_second"),
            "of floor": _median(its, "per_second") / base,
            "web CPU ms": statistics.median(turn.web_ms for turn in its),
            "PostgreSQL CPU ms": statistics.median(turn.postgres_ms for turn in its),
            "Valkey CPU ms": statistics.median(turn.valkey_ms for turn in its),
            "p50 ms": _median(its, "median_ms"),
            "p99 ms": _median(its, "p99_ms"),
            "load generator CPU": _median(its, "client_cpu_ms"),
            "answers": ", ".join(f"{n} × {status}" for status, n in statuses),
        }
    report.table(title, rows)


def _median(turns: list[Turn], figure: str) -> float:
    return statistics.median(getattr(turn.timings, figure) for turn in turns)


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
