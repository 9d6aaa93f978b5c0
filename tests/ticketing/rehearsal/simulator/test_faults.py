"""Faults: planned by the seed, recorded, and undone."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ticketing.rehearsal.fixture import SiteFixture
from ticketing.rehearsal.simulator.faults import (
    ALL,
    NETWORK,
    Fault,
    FaultSchedule,
    disturb,
    disturb_gateway,
)
from ticketing.rehearsal.simulator.history import RUNNER, Record


class Gateway:
    def __init__(self) -> None:
        self.seen: list[tuple[float, float]] = []

    async def set_gateway_behaviour(self, *, failure_rate: float, latency: float) -> None:
        self.seen.append((failure_rate, latency))


class Network:
    def __init__(self) -> None:
        self.seen: list[Any] = []

    def disturb(self, links: list[str], kind: str, **how: Any) -> None:
        self.seen.append((links, kind, how))

    def restore(self) -> None:
        self.seen.append("restored")


def site_with_network(folder: Path) -> Any:
    fixture: Any = SiteFixture(folder)
    fixture.network = Network()
    return fixture


def faults(
    level: str = "all",
    *,
    seed: int = 1,
    processes: Any = None,
    gateway: Any = None,
    rounds: int = 0,
) -> FaultSchedule:
    return FaultSchedule(level, seed, 0.01, processes=processes, gateway=gateway, rounds=rounds)


def names(plan: FaultSchedule) -> list[str]:
    return [fault.name for fault in plan.planned()]


def test_the_same_seed_gives_the_same_order(tmp_path: Path) -> None:
    processes = SiteFixture(tmp_path)

    assert names(faults(processes=processes)) == names(faults(processes=processes))
    assert names(faults(processes=processes)) != names(faults(processes=processes, seed=2))


def test_processes_are_killed_only_where_we_started_them(tmp_path: Path) -> None:
    everything = faults(processes=site_with_network(tmp_path), gateway=Gateway())

    assert sorted(names(faults(gateway=Gateway()))) == ["failing gateway", "slow gateway"]
    assert len(names(everything)) == len(ALL)
    without_proxy = names(faults(processes=SiteFixture(tmp_path), gateway=Gateway()))
    assert not {fault.name for fault in NETWORK} & set(without_proxy)
    assert names(faults("none", processes=SiteFixture(tmp_path), gateway=Gateway())) == []


def test_a_fixture_inherits_no_setting_of_the_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = {"QUEUE_REDIS_URL": "redis://the.sale", "PORTONE_API_SECRET": "x", "EMAIL_HOST": "x"}
    for name, value in (theirs | {"WEB_THREADS": "3"}).items():
        monkeypatch.setenv(name, value)

    environment = SiteFixture(tmp_path).environment

    assert not theirs.keys() & environment.keys()
    assert (environment["WEB_THREADS"], environment["VAR_DIR"]) == ("3", str(tmp_path))


def test_a_fault_is_recorded_with_its_begin_and_end() -> None:
    gateway, records = Gateway(), list[Record]()

    asyncio.run(faults("some", gateway=gateway).run(records.append))

    assert [(record.user, record.action, record.status) for record in records] == [
        (RUNNER, "fault", 200)
    ]
    assert records[0].data["fault"] == "slow gateway"
    assert records[0].began < records[0].ended


def test_the_gateway_works_again_after_a_fault_that_is_cancelled() -> None:
    gateway = Gateway()

    async def cut_short() -> None:
        async with asyncio.timeout(0.05):
            await disturb_gateway(failure_rate=0.5)(gateway, 60)

    with pytest.raises(TimeoutError):
        asyncio.run(cut_short())

    assert gateway.seen == [(0.5, 0), (0, 0)]


def test_a_fault_without_recovery_is_recorded_as_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    async def stays_down(gateway: Any, seconds: float) -> bool:
        return False

    records = list[Record]()
    plan = faults(gateway=Gateway())

    asyncio.run(plan.cause(Fault("x", "x", of_gateway=stays_down), records.append, seconds=0))

    assert records[0].status == 504


def test_of_many_rounds_every_fault_is_caused_before_one_is_repeated(tmp_path: Path) -> None:
    plan = faults(processes=site_with_network(tmp_path), gateway=Gateway(), rounds=3 * len(ALL) - 1)

    rounds = names(plan)

    assert len(rounds) == 3 * len(ALL) - 1
    assert set(rounds[: len(ALL)]) == set(rounds[len(ALL) : 2 * len(ALL)])
    assert names(faults(rounds=5)) == []  # nothing is possible


def test_a_network_that_was_disturbed_is_restored_even_if_the_fault_is_cancelled() -> None:
    network: Any = Network()

    async def cut_short() -> None:
        async with asyncio.timeout(0.05):
            await disturb("valkey", "stall", side="web", direction="up")(network, 60)

    with pytest.raises(TimeoutError):
        asyncio.run(cut_short())

    how = {"amount": 0.0, "directions": ("up",)}
    assert network.seen == [(["web-valkey"], "stall", how), "restored"]
