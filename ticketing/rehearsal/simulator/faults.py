"""What goes wrong during a rehearsal, on purpose and on schedule."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol

from ticketing.development.embedded import process
from ticketing.rehearsal.simulator.fixture import House
from ticketing.rehearsal.simulator.history import STAGE, Deed, steady

Record = Callable[[Deed], None]
# Between opening and closing, as shares of the time: nothing goes wrong at the very ends.
FIRST, LAST = 0.08, 0.85
# How long each lasts at most, in seconds and as a share of the time.
LASTS, SHARE = 12.0, 0.06
AHEAD = 2.0  # seconds by which a clock is wrong; with time servers it is far less


class Gateway(Protocol):
    async def weather(self, *, failure_rate: float, latency: float) -> None: ...


# Told how long to last; true if the system was whole again afterwards.
OfHouse = Callable[[House, float], Awaitable[bool]]
OfGateway = Callable[[Gateway, float], Awaitable[bool]]


@dataclass(frozen=True)
class Fault:
    name: str
    words: str
    of_house: OfHouse | None = None
    of_gateway: OfGateway | None = None
    turns: float = 0.0  # clocks by so many seconds


def killing(role: str) -> OfHouse:
    async def kill(house: House, lasts: float) -> bool:
        return bool(await asyncio.to_thread(house.replace, role))

    return kill


async def two_beats(house: House, lasts: float) -> bool:
    schedule = f"--schedule={house.var / 'beat-schedule-2'}"
    beat = ["celery", "-q", "-A", "ticketing", "beat", "--pidfile=", schedule]
    second = house.another("-m", *beat, log=house.var / "second-beat.log")
    try:
        await asyncio.sleep(lasts)
        return second.poll() is None
    finally:
        await asyncio.to_thread(process.stop, second)


async def wrong_clocks(house: House, lasts: float) -> bool:
    """The line's own clock and one web server's step forward, and later back."""
    wrong = dict.fromkeys(("ticker", "web"), 0)
    for seconds in (AHEAD, 0.0):
        house.set_clock(seconds)
        for role, victim in wrong.items():
            wrong[role] = await asyncio.to_thread(house.replace, role, victim=victim)
        await asyncio.sleep(lasts if seconds else 0)
    return all(wrong.values())


def weather(*, failure_rate: float = 0, latency: float = 0) -> OfGateway:
    async def blow(gateway: Gateway, lasts: float) -> bool:
        await gateway.weather(failure_rate=failure_rate, latency=latency)
        try:
            await asyncio.sleep(lasts)
        finally:
            await gateway.weather(failure_rate=0, latency=0)
        return True

    return blow


WEB = Fault("web", "a web process is killed", of_house=killing("web"))
WORKER = Fault("worker", "the worker is killed", of_house=killing("worker"))
SLOW = Fault("slow gateway", "the gateway is slow", of_gateway=weather(latency=1.5))
SOME = [WEB, WORKER, SLOW]
ALL = [
    *SOME,
    Fault("payer", "the worker of the payments is killed", of_house=killing("payer")),
    Fault("ticker", "the process that moves the line is killed", of_house=killing("ticker")),
    Fault("beat", "beat is killed", of_house=killing("beat")),
    Fault("valkey", "Valkey is killed", of_house=killing("valkey")),
    Fault("postgresql", "PostgreSQL is killed", of_house=killing("postgresql")),
    Fault("two beats", "a second beat runs beside the first", of_house=two_beats),
    Fault("clock", f"clocks go {AHEAD:g} s ahead, and back", of_house=wrong_clocks, turns=AHEAD),
    Fault("failing gateway", "the gateway fails at times", of_gateway=weather(failure_rate=0.3)),
]
LEVELS = {"none": list[Fault](), "some": SOME, "all": ALL}


@dataclass(frozen=True)
class Faults:
    """Processes are only killed where we started them."""

    level: str
    seed: int
    minutes: float
    house: House | None
    gateway: Gateway | None

    async def cause(
        self,
        record: Record,
        begins: Callable[[Fault], None] = lambda _: None,
        turn: asyncio.Lock | None = None,
    ) -> None:
        """One after the other, evenly spread, in an order that follows from the seed."""
        faults, seconds, began = self.planned(), self.minutes * 60, steady()
        turn = turn or asyncio.Lock()
        for number, fault in enumerate(faults):
            share = FIRST + (LAST - FIRST) * number / len(faults)
            await asyncio.sleep(max(0, began + share * seconds - steady()))
            async with turn:
                begins(fault)
                await self._cause(fault, record, lasts=min(LASTS, SHARE * seconds))

    def planned(self) -> list[Fault]:
        possible = [fault for fault in LEVELS[self.level] if self._way_of(fault)]
        return Random(self.seed).sample(possible, len(possible))  # noqa: S311 - no secret

    def _way_of(self, fault: Fault) -> Callable[[float], Awaitable[bool]] | None:
        if (house := self.house) and (of_house := fault.of_house):
            return lambda lasts: of_house(house, lasts)
        if (gateway := self.gateway) and (of_gateway := fault.of_gateway):
            return lambda lasts: of_gateway(gateway, lasts)
        return None

    async def _cause(self, fault: Fault, record: Record, *, lasts: float) -> None:
        way, began, whole = self._way_of(fault), steady(), False
        try:
            whole = await way(lasts) if way else False
        finally:
            saw: dict[str, Any] = {"fault": fault.name, "words": fault.words}
            if fault.turns:
                saw["seconds"] = fault.turns
            record(Deed(STAGE, "fault", began, steady(), status=200 if whole else 504, saw=saw))
