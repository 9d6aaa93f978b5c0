"""Whole purchases over HTTP (hold, pay, confirm), with the gateway in a separate process.

Compared with the same gateway calls without the site, and with as many site calls that do nothing.
The SQL statements of some purchases are counted in the log of PostgreSQL.
"""

import os
import re
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from bench.database import prepare_database
from bench.holds import Fan, make_fans
from bench.purchase_clients import PurchasePlan, PurchaseTimings, run_purchases
from tests.faults.site import Site, free_port, until
from ticketing.development.embedded import process

SESSIONS, EACH, ROUNDS, WORKERS, COUNTED = 16, 10, 3, 2, 20
# The steps of a purchase, and the two comparisons.
PURCHASE = ["hold", "start", "window", "confirm"]
KINDS = {
    "the site's calls, doing nothing": ["nothing"] * 3,
    "the gateway's calls, no site": ["prepare", "window", "charge", "fetch"],
    "purchase": PURCHASE,
}
STATEMENT = re.compile(r"LOG:  (?:statement|execute [^:]*): (\w+)")
CONTROL = {"BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "SET"}
NO_RECEIVER = "http://127.0.0.1:9/"


class ShopAndGateway:
    """The site, and a gateway with its own process and database."""

    def __init__(self) -> None:
        self.site = Site(workers=WORKERS, settings="bench.settings")
        self.site.postgres.create_database("gateway")
        self.url = f"http://127.0.0.1:{free_port()}"
        self.site.env["PORTONE_URL"] = f"{self.url}/sandbox/portone"
        self.gateway: Any = None
        os.environ.update(self.site.env)

    @property
    def env(self) -> dict[str, str]:
        base, _, query = self.site.env["DATABASE_URL"].partition("?")
        own = f"{base.rpartition('/')[0]}/gateway" + (f"?{query}" if query else "")
        return self.site.env | {"DATABASE_URL": own}

    @contextmanager
    def open(self, *, webhooks: str) -> Iterator[None]:
        command = [sys.executable, "-m", "uvicorn", "ticketing.asgi:application", "--no-access-log"]
        port = self.url.rpartition(":")[2]
        env = self.env | {"PAYMENTS_SANDBOX_WEBHOOK": webhooks}
        self.gateway = process.start(
            [*command, "--log-level", "error", "--port", port],
            env=env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=Path.cwd(),
        )
        self.site.start_web()
        until(lambda: httpx.get(f"{self.url}/readyz", timeout=20).status_code == 200, seconds=30)
        try:
            yield
        finally:
            process.stop(self.gateway)
            process.stop(self.site.web)
            self.site.web = None


def run() -> None:
    shop = ShopAndGateway()
    try:
        prepare_database()
        subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], env=shop.env, check=True)
        fans = make_fans(SESSIONS, shop.site.url)
        with shop.open(webhooks=f"{shop.site.url}/payments/webhooks/portone/"):
            _print_speed(shop, fans)
        _print_statements(shop, fans)
    finally:
        shop.site.stop()


def _plans(
    shop: ShopAndGateway, fans: list[Fan], event: int, seats: list[int], steps: list[str]
) -> Any:
    from django.conf import settings

    return [
        PurchasePlan(
            site=shop.site.url,
            gateway=shop.url,
            event=event,
            secret=settings.PORTONE_API_SECRET,
            headers=fan.headers,
            seats=seats[number :: len(fans)],
            steps=steps,
        )
        for number, fan in enumerate(fans)
    ]


def _event(seats: int) -> tuple[int, list[int]]:
    """An event without a queue, as buyers would have to queue again after each purchase."""
    from reservations import services
    from tests.making import make_event, make_plan, seat_ids
    from ticketing.core import clock

    plan = make_plan(rows=-(-seats // 20), seats_per_row=20)
    event = make_event(clock.now(), plan=plan, seats_per_person=30_000)
    services.recount_seats(event_id=event.pk)
    return event.pk, seat_ids(event)


def _print_speed(shop: ShopAndGateway, fans: list[Fan]) -> None:
    """Measure in turns, so that a slow moment of the machine affects all of them."""
    per_round = len(fans) * EACH
    event, seats = _event(per_round * (ROUNDS + 1))
    turns: dict[str, list[PurchaseTimings]] = {name: [] for name in KINDS}
    run_purchases(_plans(shop, fans, event, seats[-per_round:][: 2 * len(fans)], PURCHASE))  # warm
    spent: list[tuple[float, float]] = []
    for _ in range(ROUNDS):
        mine, seats = seats[:per_round], seats[per_round:]
        for name, steps in KINDS.items():
            before = _cpu(shop)
            turns[name].append(run_purchases(_plans(shop, fans, event, mine, steps)))
            if name == "purchase":
                spent.append(_since(before, _cpu(shop), per_round))
    print(f"{len(fans)} buyers, {WORKERS} processes of the site, one of the gateway")
    _print_table(turns)
    site, gateway = (statistics.median(each) for each in zip(*spent, strict=True))
    print(f"processor time per purchase: site {site:.1f} ms, gateway {gateway:.1f} ms")


def _print_table(turns: dict[str, list[PurchaseTimings]]) -> None:
    print(f"{'':<34}{'per second':>11}{'median ms':>11}{'p99 ms':>9}  ends")
    for name, its in turns.items():
        speed, median, p99 = (
            statistics.median(getattr(turn, what) for turn in its)
            for what in ("per_second", "median_ms", "p99_ms")
        )
        outcomes = ", ".join(f"{n} × {outcome}" for outcome, n in sorted(its[0].outcomes.items()))
        print(f"{name:<34}{speed:>11,.1f}{median:>11.1f}{p99:>9.1f}  {outcomes}")
    steps = turns["purchase"][-1].step_ms
    print("median ms of a step: " + ", ".join(f"{name} {ms:.0f}" for name, ms in steps.items()))


def _print_statements(shop: ShopAndGateway, fans: list[Fan]) -> None:
    """One purchase at a time, so that no waiting adds statements."""
    webhook = f"{shop.site.url}/payments/webhooks/portone/"
    for name, address in (("without webhooks", NO_RECEIVER), ("with both webhooks", webhook)):
        with _logged(shop) as count, shop.open(webhooks=address):
            event, seats = _event(2 * COUNTED)
            run_purchases(_plans(shop, fans[:1], event, seats[:COUNTED], PURCHASE))  # warm
            before = count()
            run_purchases(_plans(shop, fans[:1], event, seats[COUNTED:], PURCHASE))
            found = count() - before
        print(f"statements per purchase, {name}: {found / COUNTED:.1f}")


@contextmanager
def _logged(shop: ShopAndGateway) -> Iterator[Callable[[], int]]:
    """Yields a function that counts the statements in the log of the site's database."""
    from django.db import connection

    log = shop.site.servers.var / f"{shop.site.postgres.name}.log"
    name = connection.settings_dict["NAME"]
    with connection.cursor() as cursor:
        for setting in ("log_statement = 'all'", "log_min_messages = 'log'"):
            cursor.execute(f"ALTER DATABASE {name} SET {setting}")
    yield lambda: sum(
        word.upper() not in CONTROL for word in STATEMENT.findall(log.read_text(errors="replace"))
    )
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER DATABASE {name} RESET ALL")


def _cpu(shop: ShopAndGateway) -> tuple[float, float]:
    return _tree_cpu(shop.site.web.pid), _tree_cpu(shop.gateway.pid)  # type: ignore[union-attr]


def _since(
    before: tuple[float, float], after: tuple[float, float], count: int
) -> tuple[float, float]:
    site, gateway = (1000 * (b - a) / count for a, b in zip(before, after, strict=True))
    return site, gateway


def _tree_cpu(pid: int) -> float:
    """Processor seconds of a process and its children."""
    ticks, per_second = 0, os.sysconf("SC_CLK_TCK")
    for stat in Path("/proc").glob("[0-9]*/stat"):
        fields = _fields(stat)
        if fields and (int(stat.parent.name) == pid or int(fields[1]) == pid):
            ticks += int(fields[11]) + int(fields[12])
    return ticks / per_second


def _fields(stat: Path) -> list[str]:
    try:
        return stat.read_text().rpartition(")")[2].split()
    except OSError:
        return []
