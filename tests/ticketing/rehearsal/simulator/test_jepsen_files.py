"""The history in the shape of Jepsen's tools."""

import json
from collections import defaultdict

import pytest

from ticketing.rehearsal.simulator import jepsen_files
from ticketing.rehearsal.simulator.judge.clocks import FOREVER
from ticketing.rehearsal.simulator.judge.register import misfit
from ticketing.rehearsal.simulator.judge.seat_operations import FREE, SeatOperation

FILES = ("calls", "seats", "holds", "charges")


@pytest.fixture(scope="module")
def written(sale, tmp_path_factory):
    folder = tmp_path_factory.mktemp("jepsen")
    jepsen_files.write_all(folder, sale)
    return {
        name: [json.loads(line) for line in (folder / f"jepsen-{name}.jsonl").open()]
        for name in FILES
    }


@pytest.mark.parametrize("name", FILES)
def test_operations_are_in_order_and_processes_do_one_thing_at_a_time(written, name):
    under_way, lost, last = dict[int, dict](), set(), 0
    for index, line in enumerate(written[name]):
        assert line["index"] == index
        assert line["time"] >= last
        last, process = line["time"], line["process"]
        assert process not in lost
        if line["type"] == "invoke":
            assert process not in under_way
            under_way[process] = line
        else:
            assert under_way.pop(process)["f"] == line["f"]
            lost |= {process} if line["type"] == "info" else set()
    assert under_way == {}
    assert {line["type"] for line in written[name]} >= {"invoke", "ok", "info"}


def test_every_call_is_there_as_it_was_answered(sale, written):
    made = [record for record in sale.records if record.action in jepsen_files.NAMES]
    by_type = defaultdict(int)
    for line in written["calls"]:
        by_type[line["type"]] += 1

    assert by_type["invoke"] == len(made)
    assert by_type["ok"] == sum(record.done for record in made)
    assert by_type["info"] == sum(record.unknown for record in made)
    assert {"join", "position", "claim", "hold", "release", "pay", "confirm", "cancel"} <= {
        line["f"] for line in written["calls"]
    }


def test_the_registers_in_the_file_are_linearizable_by_the_file_alone(written):
    """What an independent checker does: split by seat, pair the lines, search."""
    by_seat, invoked = defaultdict(list), {}
    for line in written["seats"]:
        if line["type"] == "invoke":
            invoked[line["process"]] = line
            continue
        (seat, value), began = line["value"], invoked[line["process"]]["time"]
        ended = FOREVER if line["type"] == "info" else line["time"]
        before, after = value if line["f"] == "cas" else (value, value)
        assert invoked[line["process"]]["value"][0] == seat
        if line["f"] == "write":
            assert (value, by_seat[seat]) == (FREE, [])
        by_seat[seat].append(SeatOperation(seat, 0, before, after, began, ended))

    assert len(by_seat) > 20
    assert [misfit(operations) for operations in by_seat.values()] == [None] * len(by_seat)


def test_appends_are_unique_and_every_answered_hold_is_in_the_final_read(written):
    *_, final = written["holds"]
    lists = {seat: codes for _r, seat, codes in final["value"]}
    appended = [
        (seat, code)
        for line in written["holds"][:-2]
        if line["type"] in ("ok", "info")
        for _append, seat, code in line["value"]
    ]

    assert len(appended) == len(set(appended)) > 20
    assert all(code in lists[seat] for seat, code in appended)


def test_reads_of_the_counter_are_between_what_was_acknowledged_and_what_was_begun(written):
    """Jepsen's own check of a counter."""
    begun = acknowledged = checked = 0
    least = {}
    for line in written["charges"]:
        match line["f"], line["type"]:
            case "add", "invoke":
                begun += line["value"]
            case "add", "ok":
                acknowledged += line["value"]
            case "read", "invoke":
                least[line["process"]] = acknowledged
            case "read", "ok":
                checked += 1
                assert least[line["process"]] <= line["value"] <= begun
    assert checked > 10
