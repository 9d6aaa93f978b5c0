"""Lines replayed in virtual time: people enter at the rate, and waits are as long as was said."""

from shutil import copytree
from statistics import median

import pytest

from tests.waiting_queue.replay import Replay
from waiting_queue.selectors import standings
from waiting_queue.store import scripts

NO_LIMIT = {"cap": 10_000}
SCENES = {
    "the rate decides": {"people": 360, "rules": {"rate": 3, **NO_LIMIT}},
    "three in ten don't come": {"people": 500, "no_shows": 0.3, "rules": {"rate": 3, **NO_LIMIT}},
    "the places decide": {"people": 250, "rules": {"rate": 10, "cap": 40}},
    "three in ten keep their places for a while": {
        "people": 300,
        "no_shows": 0.3,
        "rules": {"rate": 10, "cap": 40},
    },
    "a single place": {"people": 15, "stay": (5, 15), "rules": {"rate": 10, "cap": 1}},
}


# -- no-shows -------------------------------------------------------------------------------------


def test_with_three_no_shows_in_ten_people_enter_at_the_rate():
    replay = Replay(people=900, no_shows=0.3, asks=10**6, rules={"rate": 8, **NO_LIMIT})

    replay.run(70)

    assert replay.entered_per_second(0, 8) < 0.8 * 8
    assert replay.entered_per_second(30, 70) == pytest.approx(8, rel=0.06)
    assert len(replay.entered) <= 8 * 70 + 8


def test_control_without_given_back_permits_fewer_enter(tmp_path, monkeypatch):
    copytree(scripts.FOLDER, tmp_path, dirs_exist_ok=True)
    text = (tmp_path / "_line.lua").read_text()
    (tmp_path / "_line.lua").write_text(text.replace("    give_back_permit(leader, number)\n", ""))
    monkeypatch.setattr(scripts, "FOLDER", tmp_path)
    scripts.script.cache_clear()
    try:
        replay = Replay(people=500, no_shows=0.3, asks=10**6, rules={"rate": 8, **NO_LIMIT})
        replay.run(50)
    finally:
        scripts.script.cache_clear()

    assert replay.entered_per_second(20, 50) < 0.8 * 8


def test_no_shows_never_bring_more_people_inside_than_there_are_places():
    replay = Replay(people=300, no_shows=0.5, asks=10**6, rules={"rate": 8, "cap": 20})

    replay.run(40)

    assert replay.most_inside == 20


def test_even_if_hardly_anybody_comes_calls_are_bounded():
    replay = Replay(people=900, no_shows=0.95, asks=10**6, rules={"rate": 5, **NO_LIMIT})

    replay.run(40)

    assert 15 < max(replay.called.count(second) for second in range(1, 41)) <= 4 * 5


def test_whoever_leaves_when_called_gives_the_permit_to_the_next():
    replay = Replay(people=30, no_shows=1.0, asks=10**6, rules={"rate": 1, **NO_LIMIT})
    replay.run(2)

    replay.line.leave("1")
    called = replay.line.wait(1).tick().called

    assert called == ["3", "4"]


# -- estimates ------------------------------------------------------------------------------------


@pytest.mark.parametrize("scene", SCENES)
def test_people_wait_as_long_as_they_were_told(scene):
    replay = Replay(**SCENES[scene]).run(150)
    later = replay.judged(begin=50)

    assert len(later) >= 20
    assert median(told.error for told in later) <= 0.2
    for estimates in (later, replay.judged()):
        assert sum(told.is_within for told in estimates) >= 0.8 * len(estimates)


def test_while_the_only_place_is_taken_nobody_is_told_one_second():
    replay = Replay(people=2, stay=(50, 50), rules={"rate": 10, "cap": 1})

    first = replay.run(3).line.peek("2")

    assert standings.eta_of(first)[0] >= 30  # half a pass, as nobody has left yet


def test_control_an_estimate_that_does_not_know_the_cap_is_found(monkeypatch):
    real = standings.Pace.of

    def blind(line, share=1.0):
        pace = real(line, share)
        return standings.Pace(pace.calls, 10**6, pace.cap, pace.stay, pace.stays, pace.max_poll)

    monkeypatch.setattr(standings.Pace, "of", blind)
    later = Replay(**SCENES["the places decide"]).run(150).judged(begin=50)

    assert median(told.error for told in later) > 0.3
