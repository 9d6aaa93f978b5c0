"""All of them together."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from ticketing.rehearsal.simulator.history import Deed
from ticketing.rehearsal.simulator.users.arrivals import Arrival
from ticketing.rehearsal.simulator.users.bots import Bot
from ticketing.rehearsal.simulator.users.characters import Plan, Sale, plan_of
from ticketing.rehearsal.simulator.users.door import Door
from ticketing.rehearsal.simulator.users.ends import Ended
from ticketing.rehearsal.simulator.users.fan import Account, Fan
from ticketing.rehearsal.simulator.users.hall import Hall
from ticketing.rehearsal.simulator.users.shopping import Hold
from ticketing.rehearsal.simulator.users.tally import Tally

Record = Callable[[Deed], None]


class Crowd:
    """`setting` is what the stage said when the rehearsal was made."""

    def __init__(
        self, door: Door, setting: Mapping[str, Any], *, record: Record, tally: Tally
    ) -> None:
        self.door, self.now, self.tally = door, door.now, tally
        self.event, self.cookie = int(setting["event"]), str(setting["cookie"])
        self.seed, self.takes_payments = int(setting["seed"]), bool(setting["payments"])
        self.rate = float(setting["knobs"]["admit_per_second"])
        self.sale = Sale(
            profile=str(setting["profile"]),
            seconds=60 * float(setting["minutes"]),
            limit=int(setting["limit_per_person"]),
            hold_seconds=float(setting["hold_seconds"]),
        )
        self._record = record
        self.hall: Hall | None = None
        self.fans: list[Fan] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._lobby, self._sale = asyncio.Event(), asyncio.Event()
        self._lobby_seconds = 0.0
        self.is_opening = False
        self.loot: list[tuple[int, Hold]] = []  # what bots have to try on each other
        self.closing = asyncio.Event()
        self.failures: list[BaseException] = []

    def record(self, deed: Deed) -> None:
        self._record(deed)
        self.tally(deed)

    # -- what the director says -------------------------------------------------------------------

    def gather(self, accounts: Mapping[int, Account]) -> None:
        """Everybody is made, and waits for the moment to come."""
        for number, account in accounts.items():
            plan = plan_of(number, seed=self.seed, sale=self.sale)
            self.fans.append(self.person(plan, account))
        self._tasks = [asyncio.create_task(self._live(fan)) for fan in self.fans]

    def person(self, plan: Plan, account: Account) -> Fan:
        return Bot(self, plan, account) if plan.is_bot else Fan(self, plan, account)

    def lobby_opened(self, seconds: float) -> None:
        self._lobby_seconds = seconds
        self._lobby.set()

    def sale_opens(self) -> None:
        """Said before it is so: from now on somebody may be called."""
        self.is_opening = True

    def sale_opened(self) -> None:
        self._lobby.set()
        self._sale.set()

    def line_closed(self) -> None:
        """Whoever has not come yet need not come any more."""
        for moment in (self.closing, self._lobby, self._sale):
            moment.set()

    async def gone(self, seconds: float) -> bool:
        """Whether everybody has ended, waiting so long for it."""
        if self._tasks:
            _, still_here = await asyncio.wait(self._tasks, timeout=seconds)
            return not still_here
        return True

    async def send_home(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # -- what the people ask ----------------------------------------------------------------------

    async def until(self, arrival: Arrival) -> None:
        moment = self._lobby if arrival.in_lobby else self._sale
        await moment.wait()
        wait = arrival.at * self._lobby_seconds if arrival.in_lobby else arrival.at
        if await self.is_closing_within(wait):
            raise Ended("closed", "the line was closed before they came")

    async def is_closing_within(self, seconds: float) -> bool:
        if self.closing.is_set():
            return True
        try:
            async with asyncio.timeout(max(seconds, 0)):
                await self.closing.wait()
        except TimeoutError:
            return False
        return True

    async def _live(self, fan: Fan) -> None:
        """A mistake of ours ends one person's play, and is told."""
        try:
            await fan.live()
        except Exception as failure:
            self.failures.append(failure)
            fan.end(Ended("broken", f"a mistake in the rehearsal itself: {failure!r}"))
