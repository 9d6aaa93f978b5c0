"""The line in Redis, decision by decision."""

import pytest

from tests.waiting_queue.line import Line
from waiting_queue import store
from waiting_queue.store.line import CLAIM_GRACE_MS

GRACE = CLAIM_GRACE_MS // 1000


@pytest.fixture
def line() -> Line:
    """Open, and busy: somebody is waiting already, so nobody walks straight in."""
    return Line().begin()


# -- joining --------------------------------------------------------------------------------------


def test_the_first_with_room_inside_is_in_at_once(line):
    line.wait(1)

    result = line.join("ann")

    assert (result.outcome, result.standing.state) == ("joined", "admitted")
    assert result.standing.number == 1


def test_walking_straight_in_is_within_the_rate(line):
    line.begin(rate=2).wait(1)
    line.join("ann", "ben")

    assert line.join("cem").standing.state == "waiting"


def test_numbers_are_given_in_order(line):
    line.begin(state="paused")

    numbers = [line.join(person).standing.number for person in ("ann", "ben", "cem")]

    assert numbers == [1, 2, 3]


def test_joining_twice_keeps_the_first_number(line):
    line.begin(state="paused").join("ann", "ben")

    again = line.join("ann")

    assert (again.outcome, again.standing.number, again.standing.ahead) == ("already", 1, 0)


def test_nobody_walks_past_those_who_wait(line):
    line.begin(state="paused").join("ann")
    line.begin(state="open").wait(1)

    assert line.join("ben").standing.state == "waiting"


def test_a_full_line_refuses_newcomers_but_not_those_in_it(line):
    line.begin(state="paused", capacity=1).join("ann")

    assert line.join("ben").outcome == "full"
    assert line.join("ann").outcome == "already"
    assert line.state("ben") == "none"


@pytest.mark.parametrize(
    ("state", "word"), [("scheduled", "not_open"), ("closed", "over"), ("draining", "over")]
)
def test_a_queue_that_is_not_open_takes_nobody(line, state, word):
    assert line.begin(state=state).join("ann").outcome == word


def test_without_a_desk_the_line_is_lost():
    assert Line(event_id=404).join("ann").outcome == "lost"


def test_a_blocked_person_is_told_why(line):
    line.leave("ann", "blocked", "three accounts")

    result = line.join("ann")

    assert (result.outcome, result.reason) == ("blocked", "three accounts")


# -- ticks ----------------------------------------------------------------------------------------


def test_a_tick_calls_at_the_rate_and_in_order(line):
    line.begin(state="paused").join("ann", "ben", "cem")
    line.tick(state="open", rate=2)

    ticked = line.wait(1).tick()

    assert ticked.called == ["ann", "ben"]
    assert (ticked.waiting, ticked.ready, ticked.inside) == (1, 2, 0)


def test_a_late_tick_makes_up_for_the_time(line):
    line.begin(state="paused", rate=1).join(*"abcdefghij")
    line.tick(state="open")

    assert line.wait(5).tick().called == list("abcde")


def test_two_ticks_at_once_call_no_more_than_one(line):
    line.begin(state="paused", rate=2).join(*"abcdef")
    line.tick(state="open")
    line.wait(1)

    assert (line.tick().called, line.tick().called) == (["a", "b"], [])


def test_fractions_of_a_person_add_up(line):
    line.begin(state="paused", rate=0.4).join(*"abcdef")
    line.tick(state="open")

    calls = [len(line.wait(1).tick().called) for _ in range(10)]

    assert sum(calls) == 4
    assert max(calls) == 1


def test_permits_that_nobody_used_do_not_pile_up(line):
    line.begin(state="open", rate=10)
    for _ in range(30):
        line.wait(1).tick()
    line.begin(state="paused").join(*(f"p{n}" for n in range(50)))

    assert len(line.tick(state="open").called) == 10  # one second's worth is kept
    assert len(line.wait(1).tick().called) == 10


def test_no_limit_means_everybody_there_is_room_for(line):
    line.begin(state="paused", rate=0, cap=3).join(*"abcde")

    assert line.wait(1).tick(state="open").called == ["a", "b", "c"]


def test_the_cap_counts_the_called_and_those_inside(line):
    line.begin(state="paused", rate=0, cap=2).join(*"abcd")
    line.tick(state="open")
    line.claim("a")

    assert line.wait(1).tick().called == []


def test_a_freed_place_goes_to_the_next_at_the_coming_tick(line):
    line.begin(state="paused", rate=0, cap=1).join("ann", "ben")
    line.tick(state="open")
    line.claim("ann")
    line.leave("ann", "completed")

    assert line.wait(1).tick().called == ["ben"]


def test_a_lower_cap_throws_nobody_out(line):
    line.begin(state="paused", rate=0, cap=3).join(*"abcd")
    line.tick(state="open")

    ticked = line.wait(1).tick(cap=1)

    assert (ticked.called, ticked.ready) == ([], 3)


def test_paused_calls_nobody_and_saves_nothing_up(line):
    line.begin(state="paused", rate=10).join(*"abcdefghijklmnop")
    for _ in range(30):
        assert line.wait(1).tick().called == []

    assert len(line.tick(state="open").called) == 0


def test_draining_calls_those_in_line(line):
    line.begin(state="paused", rate=0).join("ann")

    assert line.wait(1).tick(state="draining").called == ["ann"]


def test_a_tick_of_another_epoch_does_nothing(line):
    line.begin(state="paused", rate=0).join("ann")

    ticked = line.wait(1).tick(state="open", epoch="e2")

    assert ticked.lost
    assert line.state("ann") == "waiting"


def test_a_clock_that_steps_back_calls_nobody_twice(line):
    line.begin(state="paused", rate=1).join(*"abcdef")
    line.tick(state="open")
    line.wait(2).tick()

    assert line.wait(-1).tick().called == []
    assert line.wait(1).tick().called == []
    assert line.wait(1).tick().called == ["c"]


# -- claiming -------------------------------------------------------------------------------------


@pytest.fixture
def ready(line) -> Line:
    """Ann is called, Ben waits."""
    line.begin(state="paused", rate=0, cap=1).join("ann", "ben")
    line.tick(state="open")
    return line


def test_claiming_in_time_admits(ready):
    result = ready.claim("ann")

    assert (result.outcome, result.standing.state, result.standing.number) == (
        "claimed",
        "admitted",
        1,
    )


def test_claiming_twice_is_fine(ready):
    ready.claim("ann")

    assert ready.claim("ann").outcome == "already"


def test_claiming_out_of_turn_is_refused(ready):
    assert ready.claim("ben").outcome == "not_yet"
    assert ready.claim("eve").outcome == "not_in_line"


def test_claiming_too_late_is_refused_even_before_the_tick(ready):
    assert ready.wait(61).claim("ann").outcome == "late"
    assert ready.state("ann") == "expired"


def test_an_unclaimed_place_goes_to_the_next(ready):
    for _ in range(61 + GRACE):
        called_now = ready.wait(1).tick().called

    assert ready.state("ann") == "expired"
    assert called_now == ["ben"] or ready.state("ben") == "ready"


def test_a_claim_that_arrived_in_time_is_in_time_although_it_is_decided_later(ready):
    for _ in range(61):
        ready.wait(1).tick()  # the deadline was a second ago

    assert ready.state("ann") == "expired"
    assert ready.claim("ann", waited_ms=1_500).outcome == "claimed"


def test_control_a_claim_that_arrived_late_is_late(ready):
    for _ in range(61):
        ready.wait(1).tick()

    assert ready.claim("ann", waited_ms=500).outcome == "late"


def test_nobody_is_late_because_a_queue_was_slow_for_longer_than_the_grace(ready):
    for _ in range(61 + GRACE):
        ready.wait(1).tick()

    assert ready.claim("ann", waited_ms=60_000).outcome == "late"


def test_while_the_site_answers_late_nobodys_time_to_claim_runs(ready):
    for _ in range(90):
        ready.wait(1).tick(is_behind=True)
    for _ in range(30):
        ready.wait(1).tick()

    assert ready.state("ann") == "ready"
    assert ready.claim("ann").outcome == "claimed"


def test_while_the_site_answers_late_nobody_counts_as_absent(ready):
    absence = ready.rules.absence_ms // 1000
    for _ in range(250):
        ready.wait(1).tick(state="paused", is_behind=True)
    for _ in range(absence - 10):
        ready.wait(1).tick()
    kept = ready.state("ben")
    for _ in range(20):
        ready.wait(1).tick()

    assert (kept, ready.state("ben")) == ("waiting", "expired")


def test_a_site_that_is_always_late_does_not_stop_the_line(ready):
    for _ in range(300 + 61 + GRACE):
        ready.poll("ben")
        ready.wait(1).tick(is_behind=True)

    assert (ready.state("ann"), ready.state("ben")) == ("expired", "ready")


# -- passes ---------------------------------------------------------------------------------------


def tick_for(line: Line, seconds: int, *, keep: tuple[str, ...] = ()) -> None:
    for second in range(seconds):
        line.wait(1).tick()
        if second % 60 == 0:
            for person in keep:
                line.poll(person)


def test_a_pass_that_is_not_used_ends(ready):
    ready.claim("ann")
    tick_for(ready, 301)

    assert ready.state("ann") == "expired"


def test_using_a_pass_renews_it(ready):
    ready.claim("ann")
    tick_for(ready, 600, keep=("ann",))

    assert ready.state("ann") == "admitted"


def test_no_pass_lives_longer_than_the_longest_stay(ready):
    ready.claim("ann")
    tick_for(ready, 1_801, keep=("ann",))

    assert ready.state("ann") == "expired"


# -- absence --------------------------------------------------------------------------------------


def test_who_is_away_too_long_is_taken_out_and_others_move_up(line):
    line.begin(state="paused").join("ann", "ben")
    tick_for(line, 301, keep=("ben",))

    assert line.state("ann") == "expired"
    assert line.peek("ben").ahead == 0


def test_looking_is_no_sign_of_life(line):
    line.begin(state="paused").join("ann")
    for _ in range(301):
        line.wait(1).tick()
        line.peek("ann")

    assert line.state("ann") == "expired"


def test_nobody_pays_for_an_outage(line):
    """No tick for ten minutes: everybody's places, calls and passes are still there."""
    line.begin(state="paused", rate=0, cap=2).join("ann", "ben", "cem")
    line.tick(state="open")
    line.claim("ann")

    line.wait(600).tick(state="open")

    assert [line.state(person) for person in ("ann", "ben", "cem")] == [
        "admitted",
        "ready",
        "waiting",
    ]


def test_rejoining_after_an_end_gives_a_new_number(line):
    line.begin(state="paused").join("ann", "ben")
    line.leave("ann")

    assert line.join("ann").standing.number == 3


# -- leaving --------------------------------------------------------------------------------------


def test_leaving_says_where_one_was(ready):
    assert ready.leave("ann") == "ready"
    assert ready.leave("ben") == "waiting"
    assert ready.leave("eve") == "none"
    assert ready.sizes() == (0, 0, 0)


def test_only_those_inside_can_finish(ready):
    assert ready.leave("ben", "completed") == "none"
    assert ready.state("ben") == "waiting"


def test_finishing_twice_changes_nothing(ready):
    ready.claim("ann")

    assert ready.leave("ann", "completed") == "admitted"
    assert ready.leave("ann", "completed") == "none"
    assert ready.state("ann") == "completed"


# -- the lobby ------------------------------------------------------------------------------------


def test_the_lobby_has_no_order(line):
    result = line.begin(state="lobby").join("ann")

    assert (result.standing.state, result.standing.number) == ("lobby", 0)


def test_who_comes_during_the_draw_is_behind_the_whole_lobby():
    line = Line().begin(state="lobby")
    line.join("ann", "ben")

    line.begin(state="open", drawing=True)

    assert line.join("cem").standing.number == 3
    assert line.wait(5).tick().called == []


@pytest.mark.parametrize("state", ["ready", "admitted"])
def test_whoever_ran_out_of_time_and_is_restored_stays_in_line(line, state):
    """The tick that ends their call or pass comes later, and finds nothing to end."""
    line.begin(cap=1, claim_ms=1_000, pass_ms=1_000, state="paused")
    line.join("fan", "other")
    line.wait(1).tick(state="open")
    if state == "admitted":
        line.claim("fan")
    assert line.state("fan") == state
    line.tick(state="paused")

    line.wait(60)
    restored = store.run(store.restore_place(line.event_id, "fan", 1, line.now))
    line.tick()

    assert (restored.state, restored.number) == ("waiting", 1)
    assert line.places() == {"fan": 1, "other": 2}
    assert line.sizes() == (2, 0, 0)
    assert line.state("fan") == "waiting"
