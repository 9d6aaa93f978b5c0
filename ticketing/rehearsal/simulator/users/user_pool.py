"""All simulated users of a rehearsal."""

import asyncio
import gc
from collections.abc import Callable, Mapping
from typing import Any

from ticketing.rehearsal.simulator.counters import Counters
from ticketing.rehearsal.simulator.history import Record
from ticketing.rehearsal.simulator.users.arrivals import Arrival
from ticketing.rehearsal.simulator.users.bots import Bot
from ticketing.rehearsal.simulator.users.fan import Fan
from ticketing.rehearsal.simulator.users.http_client import UserHttpClient
from ticketing.rehearsal.simulator.users.outcomes import UserFinished
from ticketing.rehearsal.simulator.users.parties import PartyCodes
from ticketing.rehearsal.simulator.users.personas import Plan, SaleParameters, plan_of
from ticketing.rehearsal.simulator.users.purchase import Hold
from ticketing.rehearsal.simulator.users.seat_layout import SeatLayout
from ticketing.rehearsal.simulator.users.site_user import Account

# New objects after which unreachable ones are looked for, among those of thousands of users.
COLLECT_AFTER = 50_000


class UserPool:
    """Runs every user as a task; `setting` is what the site answered at the start."""

    def __init__(
        self,
        http: UserHttpClient,
        setting: Mapping[str, Any],
        *,
        record: Callable[[Record], None],
        counters: Counters,
    ) -> None:
        self.http, self.now, self.counters = http, http.now, counters
        self.event, self.cookie = int(setting["event"]), str(setting["cookie"])
        self.seed, self.takes_payments = int(setting["seed"]), bool(setting["payments"])
        self.rate = float(setting["knobs"]["admit_per_second"])
        self.sale = SaleParameters(
            profile=str(setting["profile"]),
            seconds=60 * float(setting["minutes"]),
            limit=int(setting["limit_per_person"]),
            hold_seconds=float(setting["hold_seconds"]),
        )
        self.codes = PartyCodes()
        self._record = record
        self.layout: SeatLayout | None = None
        self.fans: list[Fan] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._lobby, self._sale = asyncio.Event(), asyncio.Event()
        self._lobby_seconds = 0.0
        self.is_opening = False
        self.other_holds: list[tuple[int, Hold]] = []  # what bots try to misuse of each other
        self.closing = asyncio.Event()
        self.failures: list[BaseException] = []

    def record(self, record: Record) -> None:
        self._record(record)
        self.counters(record)

    # -- called by the runner ---------------------------------------------------------------------

    def start(self, accounts: Mapping[int, Account]) -> None:
        """Start everybody; they wait for the time at which they arrive."""
        gc.set_threshold(COLLECT_AFTER)
        for number, account in accounts.items():
            plan = plan_of(number, seed=self.seed, sale=self.sale)
            self.fans.append(self.make_user(plan, account))
        self._tasks = [asyncio.create_task(self._run(fan)) for fan in self.fans]

    def make_user(self, plan: Plan, account: Account) -> Fan:
        return Bot(self, plan, account) if plan.is_bot else Fan(self, plan, account)

    def lobby_opened(self, seconds: float) -> None:
        self._lobby_seconds = seconds
        self._lobby.set()

    def sale_opens(self) -> None:
        """Called before the sale opens: from now on it may be somebody's turn."""
        self.is_opening = True

    def sale_opened(self) -> None:
        self._lobby.set()
        self._sale.set()

    def sale_closed(self) -> None:
        """End the visits of those who have not arrived or are not paying."""
        for event in (self.closing, self._lobby, self._sale):
            event.set()

    async def wait_until_finished(self, seconds: float) -> bool:
        """Wait at most so long; whether everybody has finished."""
        if self._tasks:
            _, unfinished = await asyncio.wait(self._tasks, timeout=seconds)
            return not unfinished
        return True

    async def cancel_all(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # -- called by the users ----------------------------------------------------------------------

    async def wait_for_arrival(self, arrival: Arrival) -> None:
        opened = self._lobby if arrival.in_lobby else self._sale
        await opened.wait()
        wait = arrival.at * self._lobby_seconds if arrival.in_lobby else arrival.at
        if await self.is_closing_within(wait):
            raise UserFinished("closed", "the line was closed before they came")

    async def is_closing_within(self, seconds: float) -> bool:
        if self.closing.is_set():
            return True
        try:
            async with asyncio.timeout(max(seconds, 0)):
                await self.closing.wait()
        except TimeoutError:
            return False
        return True

    async def _run(self, fan: Fan) -> None:
        """Run a user; a bug of the simulator ends this user alone, and the runner raises it."""
        try:
            await fan.run()
        except Exception as failure:
            self.failures.append(failure)
            fan.end(UserFinished("broken", f"a mistake in the rehearsal itself: {failure!r}"))
