"""`make cluster` says what it needs, before it starts anything."""

import asyncio
import threading
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bench.cluster import faults, hosts, pooler, sale, table
from bench.cluster.hosts import Network, require_programs
from bench.cluster.site import ClusterSite
from bench.cluster.size import MAX_FANS, MAX_RETURN_SECONDS, RETURN_SECONDS, choose_size
from ticketing.development.embedded.errors import CannotRun
from ticketing.rehearsal.simulator.history import RUNNER, Folder, Record


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for programs, the only one that is searched."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def make_program(folder: Path, name: str, text: str) -> None:
    file = folder / name
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)


def test_a_missing_program_is_named_by_its_package(programs):
    make_program(programs, "ip", "true")

    with pytest.raises(CannotRun, match=r"nginx-light.*apt-get install"):
        require_programs({"ip": "iproute2", "nginx": "nginx-light"})


def test_without_rights_it_says_who_may(programs, tmp_path):
    make_program(programs, "ip", '[ "$1" = netns ] || { echo "not permitted"; exit 2; }')
    make_program(programs, "setpriv", "true")

    with pytest.raises(CannotRun, match=r"not permitted(.|\n)*needs root"):
        Network(tmp_path).create()


@pytest.mark.parametrize(
    ("version", "keeps"), [("1.18.0", False), ("1.21.0", True), ("1.25.2", True)]
)
def test_statements_stay_prepared_behind_a_new_pooler_only(programs, version, keeps):
    make_program(programs, "pgbouncer", f"echo PgBouncer {version}")

    assert pooler.keeps_prepared_statements() is keeps


def test_a_killed_host_has_no_process_left(tmp_path):
    host = hosts.Host("one", "127.0.0.1", hosts.make_folder(tmp_path / "one"))
    sleeping = host.start("sleep", ["sleep", "60"])

    host.kill()

    assert (sleeping.returncode, host.processes) == (-9, {})


@pytest.mark.parametrize(
    ("processors", "load", "fans", "return_seconds"),
    [
        (2, 0.5, 100, RETURN_SECONDS),
        (2, 4.0, 100, 2 * RETURN_SECONDS),
        (2, 40.0, 100, MAX_RETURN_SECONDS),
        (64, 1.0, MAX_FANS, RETURN_SECONDS),
    ],
)
def test_the_crowd_follows_the_processors_and_the_patience_the_load(
    processors, load, fans, return_seconds
):
    size = choose_size(
        fans=None, minutes=2.5, return_seconds=None, processors=processors, load=load
    )

    assert (size.fans, size.return_seconds) == (fans, return_seconds)
    assert size.fans / size.admit_per_second == pytest.approx(120, rel=0.01)


def test_what_is_asked_for_is_kept_and_printed():
    size = choose_size(fans=300, minutes=2, return_seconds=60, processors=2, load=1.2)

    assert str(size) == (
        "300 people in 2 minutes, 3.12 let in a second; a fault may take 60 s to be over"
        " (2 processors, load average 1.2)."
    )


@pytest.mark.parametrize("is_complete", [True, False])
def test_a_fault_is_over_when_everything_is_complete_again(monkeypatch, is_complete):
    """One that is not lets those after it be caused."""
    monkeypatch.setattr(faults, "is_complete", lambda site: is_complete)
    site: Any = SimpleNamespace(cluster=None)
    cause = faults._in_thread(site, lambda site, seconds: None, return_seconds=0.1)

    assert asyncio.run(cause(None, 0.0)) is is_complete


def test_each_fault_is_reported_with_what_was_refused_meanwhile():
    def fault(began: float, ended: float, status: int) -> Record:
        return Record(RUNNER, "fault", began, ended, status, data={"description": "a host dies"})

    calls = [Record(1, "join", 11, 12, 503), Record(2, "join", 12, 13, 201)]
    calls.append(Record(2, "push", 14, 14))  # no call
    kept = [*calls, Record(1, "join", 30, 31, 503), fault(10, 20, 200), fault(40, 100, 504)]
    records = cast(Folder, SimpleNamespace(records=lambda: iter(kept)))

    assert [" ".join(line.split()) for line in sale._fault_lines(records)] == [
        "a host dies 1 of 2 calls refused, over after 10 s",
        "a host dies 0 of 0 calls refused, not over after 60 s",
    ]


def test_what_a_host_does_for_any_line_is_no_part_of_a_persons_cost():
    """Two hosts: 100 ms/s without people, 200 ms/s more for a line, 3 ms a person, 20 an order."""

    def storm(people: int) -> table.Storm:
        spent = {"web": 10 * (0.1 + 0.2) + 0.002 * people, "Valkey": 0.001 * people, "clients": 9.0}
        return table.Storm(people, [0.0, 1.0], people, 10, spent)

    ordering = {"web": 5 * 0.1 + 100 * 0.02}
    row = table.Row(2, {"web": 0.1}, storm(100), storm(1000), 100, 5, ordering)

    found = {name: cell for name, cell in row.cells.items() if name != "joins/s"}
    assert found == pytest.approx({
        "sockets": 1000, "ms a person": 3, "orders/s": 20, "ms an order": 20,
        "line ms/s": 200, "idle ms/s": 100,
    })  # fmt: skip
    assert table._lines_by_kind([row]) == [
        "hosts      Valkey         web  ms, person",
        "    2        1.00        2.00",
        "hosts         web  ms, order",
        "    2       20.00",
    ]


def test_what_ends_by_itself_is_started_again_and_what_was_killed_is_not(tmp_path, monkeypatch):
    site = ClusterSite.__new__(ClusterSite)
    site.died, site.changing = Counter(), threading.Lock()
    site.applications = [
        hosts.Host(name, "127.0.0.1", hosts.make_folder(tmp_path / name)) for name in ("one", "two")
    ]
    started: list[str] = []
    monkeypatch.setattr(site, "start_application", lambda host: started.append(host.name))
    ended = site.applications[0].start("worker", ["false"])
    site.applications[1].start("worker", ["sleep", "60"])
    ended.wait()
    site.applications[1].kill()

    site.revive()

    assert (started, site.died) == (["one"], {"worker (1)": 1})
