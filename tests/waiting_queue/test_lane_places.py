"""Lanes beside everything else that moves places: parties, demotion, the bypass list, modes."""

from collections import Counter

import pytest

from tests.waiting_queue.line import START, Line
from tests.waiting_queue.minutes import changed_script
from waiting_queue import store
from waiting_queue.keys import LANE_NUMBERS
from waiting_queue.store import LaneRule

FANS, VIPS = LaneRule(0, 1), LaneRule(1, 1)
MINUTE = 60


@pytest.fixture
def line() -> Line:
    """Ann, Ben and Cem wait in everybody's lane; Uma, Vic and Wim in lane 1."""
    line = Line().begin(state="paused", rate=0, companions=3, lanes=(FANS, VIPS))
    line.join("ann", "ben", "cem")
    line.join("uma", "vic", "wim", lane=1)
    return line


def in_lane(line: Line, person: str) -> tuple[str, int, int, int]:
    found = line.peek(person)
    return found.state, found.lane, found.number_in_lane, found.ahead


def let_in_at_once(line: Line, *people: str) -> None:
    store.run(store.set_bypass(line.event_id, people))


# -- parties --------------------------------------------------------------------------------------


def test_companions_have_the_leaders_place_in_the_leaders_lane(line):
    line.party("vic", "wim")

    assert in_lane(line, "wim") == in_lane(line, "vic") == ("waiting", 1, 2, 1)
    assert line.peek("vic").waiting == 2


def test_whoever_has_no_key_of_the_lane_is_asked_for_one(line):
    code = line.invite("vic").code

    for person in ("ann", "stranger"):
        refused = line.join_party(person, code)
        assert (refused.outcome, int(refused.reason)) == ("needs_key", 1)
    assert in_lane(line, "ann") == ("waiting", 0, 1, 0)
    with_key = store.run(store.join_party(line.event_id, "ann", code, line.now, lane=1))
    assert with_key.outcome == "joined"
    assert (in_lane(line, "ann"), in_lane(line, "ben")[3]) == (("waiting", 1, 2, 1), 0)


def test_a_key_of_another_lane_is_none_of_this_one(line):
    code = line.invite("vic").code

    refused = store.run(store.join_party(line.event_id, "ann", code, line.now, lane=2))

    assert refused.outcome == "needs_key"


def test_everybodys_lane_needs_no_key(line):
    assert line.party("ann", "uma", "stranger").outcome == "joined"
    assert in_lane(line, "uma") == ("waiting", 0, 1, 0)


def test_a_party_takes_one_call_of_its_lane(line):
    line.party("uma", "vic", "wim")
    line.join("xan", lane=1)

    called = line.wait(1).tick(state="open").called

    assert called == ["ann", "uma", "vic", "wim", "ben", "xan", "cem"]


def test_nobody_of_any_lane_overtakes_a_party_that_waits_for_room(line):
    line.party("uma", "vic", "wim")

    assert line.wait(1).tick(state="open", cap=3).called == ["ann"]
    assert line.wait(1).tick().called == []
    assert line.wait(1).tick(cap=4).called == ["uma", "vic", "wim"]


def test_a_place_that_is_handed_over_stays_in_its_lane(line):
    line.party("uma", "vic")
    line.leave("uma")

    assert in_lane(line, "vic") == ("waiting", 1, 1, 0)


def test_a_place_in_the_lobby_of_a_lane_is_handed_over_and_drawn_in_it():
    line = Line().begin(state="lobby", companions=3, lanes=(FANS, VIPS))
    line.join("ann")
    line.join("uma", "vic", "wim", lane=1)
    line.party("uma", "vic", "wim")
    line.leave("uma")
    assert in_lane(line, "vic")[:3] == in_lane(line, "wim")[:3] == ("lobby", 1, 0)

    line.begin(state="open", drawing=True, cap=0)
    first = int(store.run(store.snapshot(line.event_id))["lobby_first"])
    line.draw(["vic", "ann"], first)

    assert (in_lane(line, "ann")[1], in_lane(line, "vic")[1], in_lane(line, "wim")[1]) == (0, 1, 1)
    assert line.peek("wim").leader == "vic"


# -- demotion -------------------------------------------------------------------------------------


def test_the_end_is_that_of_the_own_lane_and_the_old_place_comes_back(line):
    line.demote("uma", "ann")

    assert (in_lane(line, "uma"), in_lane(line, "ann")) == (
        ("waiting", 1, 4, 2),
        ("waiting", 0, 4, 2),
    )
    line.undo_demotion("uma")
    assert in_lane(line, "uma") == ("waiting", 1, 1, 0)
    assert line.join("xan", lane=1).standing.number == LANE_NUMBERS + 5


def test_somebody_called_goes_to_the_end_of_the_lane_again(line):
    line.wait(1).tick(state="open", cap=2)
    assert line.state("uma") == "ready"

    line.demote("uma")

    assert in_lane(line, "uma") == ("waiting", 1, 4, 2)


def test_control_one_end_for_all_lanes_is_found(tmp_path, monkeypatch):
    right, wrong = "next_number(lane_of(number))", "next_number(0)"
    with changed_script(tmp_path, monkeypatch, "_party.lua", right, wrong):
        line = Line().begin(state="paused", lanes=(FANS, VIPS))
        line.join("uma", "vic", lane=1)
        line.demote("uma")
        assert line.peek("uma").lane == 0


# -- without waiting ------------------------------------------------------------------------------


def test_they_enter_from_any_lane_also_before_it_opens():
    opens = store.ms(START) + 60_000
    line = Line().begin(lanes=(FANS, LaneRule(1, 1, opens)), cap=1, rate=1)
    line.join("ann", "ben")
    let_in_at_once(line, "uma", "vic")

    assert line.join("uma", lane=1).standing.state == "admitted"
    assert line.join("wim", lane=1).outcome == "lane_not_open"
    assert line.join("vic", lane=2).outcome == "lane_not_open"  # which the line does not know


def test_they_are_called_from_their_lane_and_cost_it_nothing(line):
    let_in_at_once(line, "vic")

    called = line.wait(1).tick(state="open").called

    assert called == ["vic", "ann", "uma", "ben", "wim", "cem"]
    shot = store.run(store.snapshot(line.event_id))
    assert (shot["lane:0:called"], shot["lane:1:called"]) == ("3", "2")


def test_a_leader_who_need_not_wait_leaves_the_place_to_the_party_of_the_lane(line):
    line.party("uma", "vic")
    let_in_at_once(line, "uma")

    line.wait(1).tick(state="open", cap=0)  # nothing to buy: nobody comes in
    assert in_lane(line, "vic") == ("waiting", 1, 1, 0)
    line.wait(1).tick(cap=1)

    assert in_lane(line, "uma")[:3] == ("ready", 1, 4)
    assert in_lane(line, "vic") == ("waiting", 1, 1, 0)


# -- modes ----------------------------------------------------------------------------------------


def test_without_a_line_people_come_in_from_each_lane_that_is_open():
    opens = store.ms(START) + 60_000
    lanes = FANS, VIPS, LaneRule(2, 1, opens)
    line = Line().begin(mode="passthrough", rate=0, lanes=lanes)
    line.begin(state="paused").join("ann")
    line.begin(state="open")

    joined = [line.join("ben").standing, line.join("uma", lane=1).standing]

    assert [(one.state, one.lane) for one in joined] == [("admitted", 0), ("admitted", 1)]
    assert line.join("wim", lane=2).outcome == "lane_not_open"
    assert line.wait(1).tick().called == ["ann"]


def test_going_back_to_a_line_the_lanes_are_as_fair_as_before(line):
    line.tick(state="open", mode="passthrough", cap=0)
    for number in range(20):
        line.tick(cap=1_000)
        line.join(f"late{number}", lane=1)
    line.join(*(f"fan{number}" for number in range(4)))
    line.tick(state="paused", mode="first_come", cap=1_000, rate=4)
    line.join(*(f"vip{number}" for number in range(8)), lane=1)
    line.join(*(f"all{number}" for number in range(8)))

    called = line.wait(1).tick(state="open").called + line.wait(1).tick().called

    shares = Counter(person[:3] for person in called)
    assert abs(shares["vip"] - shares["all"]) <= 1


def test_a_closed_line_takes_nobody_from_any_lane(line):
    line.tick(mode="closed")

    assert line.join("xan", lane=1).outcome == "over"
    assert in_lane(line, "uma") == ("waiting", 1, 1, 0)


def test_a_minute_that_is_not_drawn_holds_up_everybodys_lane_only():
    """Lanes that are added when the line is no longer drawn by minutes."""
    line = Line().begin(mode="minute_draw", rate=0)
    line.join("ann", "ben")
    line.wait(MINUTE).tick(mode="first_come", lanes=(FANS, VIPS))
    line.join("cem")
    line.join("uma", lane=1)

    assert line.wait(1).tick().called == ["uma"]
    assert in_lane(line, "cem") == ("waiting", 0, 3, 2)
    line.draw_minute(["ben", "ann"], 1, minute=1)
    assert line.wait(1).tick().called == ["ben", "ann", "cem"]
