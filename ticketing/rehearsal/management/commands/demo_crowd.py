"""Lets simulated people buy in the demo, so that line, seat map and console are alive."""

import asyncio
import signal
import socket
from argparse import ArgumentParser
from typing import Any

import uvloop
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError

from ticketing.events.models import Event
from ticketing.rehearsal import selectors, services
from ticketing.rehearsal.management.arguments import minutes, number
from ticketing.rehearsal.simulator.counters import Counters
from ticketing.rehearsal.simulator.history import steady_time
from ticketing.rehearsal.simulator.users.http_client import UserHttpClient
from ticketing.rehearsal.simulator.users.site_user import Account
from ticketing.rehearsal.simulator.users.user_pool import UserPool

ARRIVING_SECONDS = 10.0  # three of five come so soon
LINE_SHARE = 0.8  # of the time there is a line
SHOW_SECONDS = 5.0
PHASES = ("lobby", "waiting", "ready", "inside", "holding", "paying", "bought")


class Command(BaseCommand):
    help = "Let simulated people join a sale of the demo, over HTTP like everybody. Ctrl-C stops."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("event", nargs="?", type=number(1), default=1, metavar="EVENT", help="[1]")
        add("--fans", type=number(1), default=200, metavar="N", help="People. [200]")
        add("--minutes", type=minutes, default=5.0, help="How long they come and buy. [5]")

    def handle(self, *args: Any, event: int, **options: Any) -> None:
        if not settings.DEVELOPMENT:
            raise CommandError("The crowd is for the demo of `make run`, not for a real site.")
        try:
            self.fill(event, **{name: options[name] for name in ("fans", "minutes")})
        except OperationalError as outage:
            raise CommandError(f"Start `make run` first, and leave it running. {outage}") from None
        except (KeyboardInterrupt, asyncio.CancelledError):
            self.stdout.write("Stopped. Whoever waits leaves the line within a minute.")

    def fill(self, event_id: int, *, fans: int, minutes: float) -> None:
        event = Event.objects.filter(pk=event_id, queue__isnull=False).first()
        if event is None or event.state != Event.State.ON_SALE:
            raise CommandError(f"Event {event_id} has no line, or is not on sale.")
        require_site()
        long = "1 minute" if minutes == 1 else f"{minutes:g} minutes"
        self.stdout.write(f"{fans} people come to {event.title_en} for {long}.")
        with services.slow_sale(event_id, at_most=round(fans / (60 * minutes * LINE_SHARE), 2)):
            setting = selectors.sale_setting(event) | {"minutes": minutes, "profile": "rush"}
            crowd = services.make_crowd(count=fans)
            uvloop.run(self.run(setting | {"seed": crowd[0].id}, crowd))

    async def run(self, setting: dict[str, Any], crowd: list[services.CrowdMember]) -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        for which in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(which, task.cancel)  # type: ignore[union-attr]
        url = f"http://127.0.0.1:{settings.PORT}"
        async with UserHttpClient(url, people=len(crowd), now=steady_time) as http:
            pool = UserPool(http, setting, record=lambda record: None, counters=Counters())
            try:
                pool.start({n: Account(one.id, one.session) for n, one in enumerate(crowd)})
                pool.lobby_opened(ARRIVING_SECONDS)
                pool.sale_opens()
                pool.sale_opened()
                await self.show(pool, until=steady_time() + 60 * float(setting["minutes"]))
                pool.sale_closed()
                await pool.wait_until_finished(60)
            finally:
                await pool.cancel_all()
        if pool.failures:
            raise pool.failures[0]
        ends = ", ".join(f"{n} {name}" for name, n in pool.counters.phases.items() if n)
        self.stdout.write(f"Over: {ends}.")

    async def show(self, pool: UserPool, *, until: float) -> None:
        """Print where people are, until the time is over or everybody has finished."""
        while (left := until - steady_time()) > 0:
            finished = await pool.wait_until_finished(min(SHOW_SECONDS, left))
            phases = pool.counters.phases
            now = ", ".join(f"{phases[name]} {name}" for name in PHASES if phases[name])
            self.stdout.write(f"  {now or 'nobody is there yet'}")
            self.stdout.flush()
            if finished:
                return


def require_site() -> None:
    """A database without a site has people whom nothing answers: often it has another port."""
    try:
        socket.create_connection(("127.0.0.1", settings.PORT), timeout=5).close()
    except OSError:
        raise CommandError(
            f"No site answers on port {settings.PORT}. Start `make run` first, and leave it "
            "running; if it has another port, name it: `make demo-crowd PORT=…`."
        ) from None
