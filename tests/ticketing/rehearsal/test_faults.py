"""What goes wrong on purpose: planned by the seed, written down, undone."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ticketing.rehearsal.simulator.faults import ALL, Fault, Faults, weather
from ticketing.rehearsal.simulator.fixture import House
from ticketing.rehearsal.simulator.history import STAGE, Deed


class Skies:
    def __init__(self) -> None:
        self.seen: list[tuple[float, float]] = []

    async def weather(self, *, failure_rate: float, latency: float) -> None:
        self.seen.append((failure_rate, latency))


def faults(level: str = "all", *, seed: int = 1, house: Any = None, gateway: Any = None) -> Faults:
    return Faults(level, seed, minutes=0.01, house=house, gateway=gateway)


def names(plan: Faults) -> list[str]:
    return [fault.name for fault in plan.planned()]


def test_the_same_seed_gives_the_same_order(tmp_path: Path) -> None:
    house = House(tmp_path)

    assert names(faults(house=house)) == names(faults(house=house))
    assert names(faults(house=house)) != names(faults(house=house, seed=2))


def test_processes_are_killed_only_where_we_started_them(tmp_path: Path) -> None:
    everything = faults(house=House(tmp_path), gateway=Skies())

    assert sorted(names(faults(gateway=Skies()))) == ["failing gateway", "slow gateway"]
    assert len(names(everything)) == len(ALL)
    assert names(faults("none", house=House(tmp_path), gateway=Skies())) == []


def test_a_throw_away_house_has_nothing_of_the_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = {"QUEUE_REDIS_URL": "redis://the.sale", "PORTONE_API_SECRET": "x", "EMAIL_HOST": "x"}
    for name, value in (theirs | {"WEB_THREADS": "3"}).items():
        monkeypatch.setenv(name, value)

    inside = House(tmp_path).environment

    assert not theirs.keys() & inside.keys()
    assert (inside["WEB_THREADS"], inside["VAR_DIR"]) == ("3", str(tmp_path))


def test_a_fault_is_written_down_with_when_it_began_and_ended() -> None:
    skies, deeds = Skies(), list[Deed]()

    asyncio.run(faults("some", gateway=skies).cause(deeds.append))

    assert [(deed.who, deed.did, deed.status) for deed in deeds] == [(STAGE, "fault", 200)]
    assert deeds[0].saw["fault"] == "slow gateway"
    assert deeds[0].began < deeds[0].ended


def test_the_weather_is_fair_again_even_if_it_is_cut_short() -> None:
    skies = Skies()

    async def cut_short() -> None:
        async with asyncio.timeout(0.05):
            await weather(failure_rate=0.5)(skies, 60)

    with pytest.raises(TimeoutError):
        asyncio.run(cut_short())

    assert skies.seen == [(0.5, 0), (0, 0)]


def test_what_did_not_come_back_is_written_down_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    async def stays_down(gateway: Any, lasts: float) -> bool:
        return False

    deeds = list[Deed]()
    plan = faults(gateway=Skies())

    asyncio.run(plan._cause(Fault("x", "x", of_gateway=stays_down), deeds.append, lasts=0))

    assert deeds[0].status == 504
