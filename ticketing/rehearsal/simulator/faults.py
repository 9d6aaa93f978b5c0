"""The faults that a rehearsal causes, in a random order that follows from the seed."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol

from ticketing.rehearsal.simulator.history import RUNNER, Record, steady_time
from ticketing.rehearsal.simulator.process_control import NetworkControl, ProcessControl

# Faults begin within this part of the sale: none at its very beginning or end.
FIRST_SHARE, LAST_SHARE = 0.08, 0.85
# The duration of a fault: so many seconds, or this share of the sale if that is shorter.
MAX_SECONDS, MAX_SHARE = 12.0, 0.06
MAX_NETWORK_SECONDS = 5.0
SIDES = ("web", "workers")
CLOCK_SHIFT = 2.0  # seconds; clocks that are synchronised differ by far less


class Gateway(Protocol):
    async def set_gateway_behaviour(self, *, failure_rate: float, latency: float) -> None: ...


# Each is given a duration in seconds, and returns whether the system recovered.
ProcessFault = Callable[[ProcessControl, float], Awaitable[bool]]
NetworkFault = Callable[[NetworkControl, float], Awaitable[bool]]
GatewayFault = Callable[[Gateway, float], Awaitable[bool]]


@dataclass(frozen=True)
class Fault:
    name: str
    description: str
    of_processes: ProcessFault | None = None
    of_gateway: GatewayFault | None = None
    of_network: NetworkFault | None = None
    clock_shift: float = 0.0


def kill(role: str) -> ProcessFault:
    async def cause(processes: ProcessControl, seconds: float) -> bool:
        return bool(await asyncio.to_thread(processes.replace, role))

    return cause


def call(method: str) -> ProcessFault:
    """What a method of the process control does."""

    async def cause(processes: ProcessControl, seconds: float) -> bool:
        return bool(await asyncio.to_thread(getattr(processes, method)))

    return cause


def disturb(
    server: str, kind: str, amount: float = 0.0, *, side: str = "", direction: str = ""
) -> NetworkFault:
    """Disturb the connections to a server: of web and workers, in both directions, unless said."""
    links = [f"{each}-{server}" for each in ((side,) if side else SIDES)]
    directions = (direction,) if direction else ("up", "down")

    async def cause(network: NetworkControl, seconds: float) -> bool:
        await asyncio.to_thread(network.disturb, links, kind, amount=amount, directions=directions)
        try:
            await asyncio.sleep(min(seconds, MAX_NETWORK_SECONDS))
        finally:
            await asyncio.to_thread(network.restore)
        return True

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
NETWORK = [
    Fault(
        "redis stalls",
        "nothing reaches Valkey, and nothing comes back",
        of_network=disturb("valkey", "stall"),
    ),
    Fault(
        "web without redis",
        "the web processes can't reach Valkey, the workers can",
        of_network=disturb("valkey", "stall", side="web"),
    ),
    Fault(
        "redis answers lost",
        "connections to Valkey are cut when it answers",
        of_network=disturb("valkey", "cut", direction="down"),
    ),
    Fault(
        "database stalls",
        "nothing reaches PostgreSQL, and nothing comes back",
        of_network=disturb("postgresql", "stall"),
    ),
    Fault(
        "commits unknown",
        "connections to PostgreSQL are cut when it answers",
        of_network=disturb("postgresql", "cut", direction="down"),
    ),
    Fault(
        "slow network",
        "the way to PostgreSQL takes 100 ms longer, in each direction",
        of_network=disturb("postgresql", "delay", 0.1),
    ),
    Fault(
        "half-closed gateway",
        "the gateway's connections end on one side",
        of_network=disturb("gateway", "half_close", direction="down"),
    ),
    Fault(
        "gateway cut off",
        "the gateway's connections are cut",
        of_network=disturb("gateway", "cut"),
    ),
    Fault(
        "throttled gateway",
        "the way to the gateway carries 2,000 bytes a second",
        of_network=disturb("gateway", "throttle", 2_000),
    ),
]
ALL = [
    *SOME,
    *NETWORK,
    Fault("payer", "the worker of the payments is killed", kill("payer")),
    Fault("mailer", "the worker of the mails is killed", kill("mailer")),
    Fault("sandbox", "the payment sandbox is killed", kill("sandbox")),
    Fault("ticker", "the process that moves the line is killed", kill("ticker")),
    Fault("beat", "beat is killed", kill("beat")),
    Fault("valkey", "Valkey is killed", kill("valkey")),
    Fault("postgresql", "PostgreSQL is killed", kill("postgresql")),
    Fault(
        "backend",
        "a connection's process in PostgreSQL is killed",
        call("kill_database_connection"),
    ),
    Fault("redis emptied", "Valkey loses all data (FLUSHALL)", call("empty_redis")),
    Fault(
        "power", "PostgreSQL and Valkey lose power, and Valkey its last second", call("cut_power")
    ),
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
LEVELS = {"none": list[Fault](), "some": SOME, "network": NETWORK, "all": ALL}


@dataclass(frozen=True)
class FaultSchedule:
    """The faults of one rehearsal; without process control only those of the gateway."""

    level: str
    seed: int
    minutes: float
    processes: ProcessControl | None
    gateway: Gateway | None
    rounds: int = 0  # faults in all; 0: each once
    own: Sequence[Fault] = ()  # instead of the level's

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
        possible = [fault for fault in self.own or LEVELS[self.level] if self._action_of(fault)]
        rng, faults = Random(self.seed), list[Fault]()  # noqa: S311 - no secret
        rounds = (self.rounds or len(possible)) if possible else 0
        while len(faults) < rounds:
            faults += rng.sample(possible, len(possible))
        return faults[:rounds]

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
        network = self.processes.network if self.processes else None
        if network and (of_network := fault.of_network):
            return lambda seconds: of_network(network, seconds)
        if (gateway := self.gateway) and (of_gateway := fault.of_gateway):
            return lambda seconds: of_gateway(gateway, seconds)
        return None
