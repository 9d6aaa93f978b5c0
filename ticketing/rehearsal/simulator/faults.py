"""The faults that a rehearsal causes, in a random order that follows from the seed."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol

from ticketing.rehearsal.simulator.history import RUNNER, Record, steady_time
from ticketing.rehearsal.simulator.process_control import ProcessControl

# Faults begin within this part of the sale: none at its very beginning or end.
FIRST_SHARE, LAST_SHARE = 0.08, 0.85
# The duration of a fault: so many seconds, or this share of the sale if that is shorter.
MAX_SECONDS, MAX_SHARE = 12.0, 0.06
CLOCK_SHIFT = 2.0  # seconds; clocks that are synchronised differ by far less


class Gateway(Protocol):
    async def set_gateway_behaviour(self, *, failure_rate: float, latency: float) -> None: ...


# Each is given a duration in seconds, and returns whether the system recovered.
ProcessFault = Callable[[ProcessControl, float], Awaitable[bool]]
GatewayFault = Callable[[Gateway, float], Awaitable[bool]]


@dataclass(frozen=True)
class Fault:
    name: str
    description: str
    of_processes: ProcessFault | None = None
    of_gateway: GatewayFault | None = None
    clock_shift: float = 0.0


def kill(role: str) -> ProcessFault:
    async def cause(processes: ProcessControl, seconds: float) -> bool:
        return bool(await asyncio.to_thread(processes.replace, role))

    return cause


async def run_second_beat(processes: ProcessControl, seconds: float) -> bool:
    second = processes.start_second_beat()
    try:
        await asyncio.sleep(seconds)
        return second.is_running()
    finally:
        await asyncio.to_thread(second.stop)


async def shift_clocks(processes: ProcessControl, seconds: float) -> bool:
    """Set the ticker's and one web process's clock forward, and back later."""
    shifted = dict.fromkeys(("ticker", "web"), 0)
    for shift in (CLOCK_SHIFT, 0.0):
        processes.set_clock(shift)
        for role, victim in shifted.items():
            shifted[role] = await asyncio.to_thread(processes.replace, role, victim=victim)
        await asyncio.sleep(seconds if shift else 0)
    return all(shifted.values())


def disturb_gateway(*, failure_rate: float = 0, latency: float = 0) -> GatewayFault:
    async def cause(gateway: Gateway, seconds: float) -> bool:
        await gateway.set_gateway_behaviour(failure_rate=failure_rate, latency=latency)
        try:
            await asyncio.sleep(seconds)
        finally:
            await gateway.set_gateway_behaviour(failure_rate=0, latency=0)
        return True

    return cause


SOME = [
    Fault("web", "a web process is killed", kill("web")),
    Fault("worker", "the worker is killed", kill("worker")),
    Fault("slow gateway", "the gateway is slow", of_gateway=disturb_gateway(latency=1.5)),
]
ALL = [
    *SOME,
    Fault("payer", "the worker of the payments is killed", kill("payer")),
    Fault("mailer", "the worker of the mails is killed", kill("mailer")),
    Fault("sandbox", "the payment sandbox is killed", kill("sandbox")),
    Fault("ticker", "the process that moves the line is killed", kill("ticker")),
    Fault("beat", "beat is killed", kill("beat")),
    Fault("valkey", "Valkey is killed", kill("valkey")),
    Fault("postgresql", "PostgreSQL is killed", kill("postgresql")),
    Fault("two beats", "a second beat runs beside the first", run_second_beat),
    Fault(
        "clock",
        f"clocks go {CLOCK_SHIFT:g} s ahead, and back",
        shift_clocks,
        clock_shift=CLOCK_SHIFT,
    ),
    Fault(
        "failing gateway",
        "the gateway fails at times",
        of_gateway=disturb_gateway(failure_rate=0.3),
    ),
]
LEVELS = {"none": list[Fault](), "some": SOME, "all": ALL}


@dataclass(frozen=True)
class FaultSchedule:
    """The faults of one rehearsal; without process control only those of the gateway."""

    level: str
    seed: int
    minutes: float
    processes: ProcessControl | None
    gateway: Gateway | None

    async def run(
        self,
        record: Callable[[Record], None],
        on_begin: Callable[[Fault], None] = lambda _: None,
        sale_lock: asyncio.Lock | None = None,
    ) -> None:
        """Cause one fault after the other, evenly spread over the sale."""
        faults, seconds, began = self.planned(), self.minutes * 60, steady_time()
        sale_lock = sale_lock or asyncio.Lock()
        for number, fault in enumerate(faults):
            share = FIRST_SHARE + (LAST_SHARE - FIRST_SHARE) * number / len(faults)
            await asyncio.sleep(max(0, began + share * seconds - steady_time()))
            async with sale_lock:
                on_begin(fault)
                await self.cause(fault, record, seconds=min(MAX_SECONDS, MAX_SHARE * seconds))

    def planned(self) -> list[Fault]:
        possible = [fault for fault in LEVELS[self.level] if self._action_of(fault)]
        return Random(self.seed).sample(possible, len(possible))  # noqa: S311 - no secret

    async def cause(
        self, fault: Fault, record: Callable[[Record], None], *, seconds: float
    ) -> None:
        action, began, recovered = self._action_of(fault), steady_time(), False
        try:
            recovered = await action(seconds) if action else False
        finally:
            data: dict[str, Any] = {"fault": fault.name, "description": fault.description}
            if fault.clock_shift:
                data["seconds"] = fault.clock_shift
            status = 200 if recovered else 504
            record(Record(RUNNER, "fault", began, steady_time(), status, data=data))

    def _action_of(self, fault: Fault) -> Callable[[float], Awaitable[bool]] | None:
        if (processes := self.processes) and (of_processes := fault.of_processes):
            return lambda seconds: of_processes(processes, seconds)
        if (gateway := self.gateway) and (of_gateway := fault.of_gateway):
            return lambda seconds: of_gateway(gateway, seconds)
        return None
