"""Parties in Redis: one place for several people, who are called together."""

from dataclasses import replace
from threading import Barrier
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.race import together
from tests.waiting_queue.line import Line
from ticketing.core import redis
from waiting_queue import keys, store
from waiting_queue.live.local_ranks import LocalRanks
from waiting_queue.tokens import QueueToken


@pytest.fixture
def line() -> Line:
    """Ann, Ben, Cem and Dan wait in this order."""
    line = Line().begin(state="paused", rate=0, companions=3)
    line.join("ann", "ben", "cem", "dan")
    return line


def while_only(line: Line, *present: str) -> Line:
    """Twelve seconds, of which the others were away longer than their places are kept."""
    line.rules = replace(line.rules, absence_ms=10_000)
    line.wait(5).tick()
    line.wait(4)
    for person in present:
        line.poll(person)
    return line.wait(3)


# -- joining --------------------------------------------------------------------------------------


def test_a_companion_has_the_place_of_the_leader(line):
    joined = line.party("ben", "eve")

    assert joined.outcome == "joined"
    assert line.places() == {"ann": 1, "ben": 2, "cem": 3, "dan": 4}
    for person in ("ben", "eve"):
        standing = line.peek(person)
        assert (standing.state, standing.number, standing.ahead) == ("waiting", 2, 1)
        assert (standing.leader, standing.party_size) == ("ben", 2)
    assert line.peek("ann").leader == ""


def test_whoever_joins_a_party_gives_up_the_own_place(line):
    line.party("ben", "cem")

    assert line.places() == {"ann": 1, "ben": 2, "dan": 4}
    assert line.peek("dan").ahead == 2
    assert line.join("cem").outcome == "already"


def test_a_leader_who_joins_another_party_leaves_the_place_to_their_own(line):
    line.party("cem", "eve", "fay")

    line.party("ann", "cem")

    assert line.places() == {"ann": 1, "ben": 2, "eve": 3, "dan": 4}
    assert (line.peek("fay").leader, line.peek("cem").leader) == ("eve", "ann")


def test_a_companion_changes_from_one_party_to_another(line):
    line.party("ann", "eve")
    line.party("ben", "eve")

    assert (line.peek("eve").number, line.peek("ann").leader) == (2, "")


@pytest.mark.parametrize("companions", [0, 1, 3])
def test_a_party_has_a_leader_and_so_many_companions(line, companions):
    line.tick(companions=companions)
    codes = [line.invite("ann", "CODE").outcome]
    joined = [line.join_party(str(person), "CODE").outcome for person in range(5)]

    assert codes == ["invited" if companions else "no_parties"]
    assert joined.count("joined") == companions
    assert line.invite("ann").outcome == ("party_full" if companions else "no_parties")


def test_asking_again_gives_the_same_code_until_it_is_about_to_end(line):
    first, again = line.invite("ann", "FIRST"), line.invite("ann", "SECOND")
    assert (again.code, first.left_ms >= again.left_ms > 0) == ("FIRST", True)

    redis.queue_client().pexpire(keys.own_code(7, "ann"), 1_000)

    assert line.invite("ann", "SECOND").code == "SECOND"


def test_a_code_that_ended_or_was_never_given_is_refused(line):
    line.invite("ann", "FIRST")
    redis.queue_client().delete(keys.invitation(7, "FIRST"))

    assert line.join_party("eve", "FIRST").outcome == "no_invitation"
    assert line.join_party("eve", "OTHER").outcome == "no_invitation"
    assert line.state("eve") == "none"


def test_who_may_not_invite(line):
    line.party("ann", "eve")
    line.tick(state="open", cap=2)

    assert line.invite("eve").outcome == "too_late"
    line.party("ben", "fay")
    assert line.invite("fay").outcome == "not_leader"
    assert line.invite("stranger").outcome == "not_in_line"


def test_who_may_not_join(line):
    line.party("ann", "eve")
    line.demote("cem")
    line.leave("fay", "blocked", "why")
    redis.queue_client().sadd(keys.key(7, "at_limit"), "gus")

    outcomes = {who: line.join_party(who, "CODEann").outcome for who in ("cem", "fay", "gus")}

    assert outcomes == {"cem": "demoted", "fay": "blocked", "gus": "at_limit"}
    assert line.join_party("ann", "CODEann").outcome == "already"
    line.tick(state="draining", cap=0)
    assert line.join_party("hal", "CODEann").outcome == "over"


def test_a_party_is_closed_once_it_is_called(line):
    line.party("ann", "eve")
    line.tick(state="open", cap=2)

    assert line.join_party("fay", "CODEann").outcome == "no_invitation"


# -- leaving --------------------------------------------------------------------------------------


def test_a_companion_who_leaves_is_out_and_the_party_goes_on(line):
    line.party("ben", "eve", "fay")

    assert line.leave("eve") == "waiting"

    assert (line.state("eve"), line.peek("fay").party_size) == ("left", 2)
    assert line.places()["ben"] == 2


@pytest.mark.parametrize("how", ["left", "blocked", "expired"])
def test_the_place_of_a_leader_who_is_out_goes_to_the_first_companion(line, how):
    line.party("ann", "eve", "fay")

    if how == "expired":
        while_only(line, "ben", "cem", "dan", "eve", "fay").tick()
    else:
        line.leave("ann", how, "why")

    assert line.places() == {"eve": 1, "ben": 2, "cem": 3, "dan": 4}
    assert line.state("ann") == how
    assert (line.peek("eve").leader, line.peek("fay").leader) == ("eve", "eve")
    assert line.join_party("gus", "CODEann").outcome == "no_invitation"


def test_a_companion_who_is_absent_loses_only_the_own_part(line):
    line.party("ann", "eve")
    while_only(line, "ann", "ben", "cem", "dan").tick()

    assert (line.state("eve"), line.peek("ann").leader) == ("expired", "")
    assert line.places()["ann"] == 1


def test_a_demoted_leader_goes_alone_and_comes_back_to_the_party(line):
    line.party("ann", "eve")
    line.demote("ann")
    assert line.places() == {"eve": 1, "ben": 2, "cem": 3, "dan": 4, "ann": 5}

    line.undo_demotion("ann")

    assert (line.peek("ann").number, line.peek("ann").leader) == (1, "eve")


def test_a_companion_who_may_bypass_is_called_alone(line):
    line.party("dan", "eve")
    line.tick(state="open", cap=1)
    store.run(store.set_bypass(7, ["eve"]))

    assert line.tick().called == ["eve"]
    assert line.peek("eve").number == 5
    assert line.peek("dan").number == 4


# -- being called ---------------------------------------------------------------------------------


def test_a_party_is_called_together_and_takes_one_permit(line):
    line.party("ann", "eve", "fay")
    line.tick(state="open", rate=1)
    line.wait(2)

    assert line.tick().called == ["ann", "eve", "fay", "ben"]
    assert {line.peek(who).number for who in ("ann", "eve", "fay")} == {1}
    assert line.peek("eve").leader == "ann"


def test_each_of_them_comes_in_and_takes_a_place_inside(line):
    line.party("ann", "eve")
    line.tick(state="open", cap=3)

    assert [line.claim(who).outcome for who in ("eve", "ann")] == ["claimed", "claimed"]

    assert line.sizes() == (2, 1, 2)  # Ben was called too, and the cap is reached
    inside = line.peek("eve")
    assert (inside.state, inside.number, inside.leader) == ("admitted", 1, "ann")


def test_nobody_overtakes_a_party_that_waits_for_room(line):
    line.party("ben", "eve", "fay")

    assert line.tick(state="open", cap=3).called == ["ann"]
    line.claim("ann")
    assert line.tick().called == []
    line.leave("ann", "completed")
    assert line.tick().called == ["ben", "eve", "fay"]


def test_a_party_larger_than_all_places_is_called_when_nobody_is_inside(line):
    line.party("ann", "eve", "fay")

    assert line.tick(state="open", cap=2).called == ["ann", "eve", "fay"]
    assert line.tick().called == []


def test_companions_who_are_away_are_not_called(line):
    line.party("ann", "eve", "fay")
    while_only(line, "ann", "fay")
    rules = replace(line.rules, state="open", cap=2)

    called = store.run(store.tick(7, rules, line.now, sweep=1)).called

    assert called == ["ann", "fay"]
    assert line.state("eve") == "expired"


def test_the_permit_is_given_back_only_if_nobody_of_the_party_comes(line):
    line.party("ann", "eve")
    line.party("ben", "fay")
    line.tick(state="open", rate=1, claim_ms=5_000)
    line.wait(2).tick()
    line.claim("eve")

    line.wait(9).tick(rate=0.000001)  # all calls but Eve's have run out

    assert [line.state(who) for who in ("ann", "eve", "ben", "fay")] == [
        *("expired", "admitted", "expired", "expired"),
    ]
    missed = redis.queue_client().hget(keys.key(7, "meta"), "known_stays").split()[3]
    assert float(missed) == pytest.approx(1, abs=0.1)
    assert redis.queue_client().hlen(keys.key(7, "parties")) == 0


# -- the lobby, other servers, tokens -------------------------------------------------------------


def test_a_party_in_the_lobby_draws_one_lot():
    line = Line().begin(state="lobby", companions=3)
    line.join("ann", "ben")
    line.party("ben", "eve")
    assert (line.state("eve"), store.lobby_people(7)) == ("lobby", ["ann", "ben"])

    line.begin(state="open", drawing=True)
    line.draw(["ben", "ann"], 1)
    line.tick(state="paused", drawing=False)

    assert (line.peek("eve").number, line.peek("ann").number) == (1, 2)


def test_a_leader_who_leaves_the_lobby_hands_over_the_time_of_arrival():
    line = Line().begin(state="lobby", companions=3)
    line.join("ann")
    line.wait(1).join("ben")
    line.wait(1).party("ann", "eve")

    assert line.leave("ann") == "lobby"

    assert store.lobby_people(7) == ["eve", "ben"]


def test_ranks_of_other_servers_stay_right(line):
    """Each message changes them; they must agree with the line."""
    line.party("ben", "eve", "fay")
    message = store.run(store.tick_message(7))
    ranks = LocalRanks(store.line_numbers(7), message)

    steps = [
        lambda: line.leave("ben"),  # Eve has the place
        lambda: line.leave("fay"),
        lambda: line.party("dan", "eve"),  # nobody has number 2 any more
        lambda: line.demote("cem"),
        lambda: line.leave("dan"),
    ]
    for step in steps:
        step()
        ranks.follow(store.run(store.tick_message(7)))
        expected = list(line.places().values())
        assert [number for number in range(1, 10) if ranks.has(number)] == expected
        assert [ranks.ahead(number) for number in expected] == list(range(len(expected)))


def test_every_member_hears_of_a_change(line):
    line.party("ben", "eve", "fay")
    store.run(store.tick_message(7))

    line.leave("fay")

    told = {person for person, _ in store.run(store.tick_message(7)).changes}
    assert told == {"ben", "eve", "fay"}


def test_a_companion_acts_with_a_token_of_their_own(line):
    line.party("ben", "eve")
    held = QueueToken(7, "eve", 2, "e1")
    foreign = QueueToken(7, "eve", 3, "e1")

    assert store.run(store.poll(7, "eve", line.now, token=held)).number == 2
    assert store.run(store.leave(7, "eve", line.now, token=foreign)) == "revoked"
    assert store.run(store.leave(7, "eve", line.now, token=held)) == "waiting"


# -- at the same moment ---------------------------------------------------------------------------


def test_of_many_who_join_at_once_only_as_many_as_allowed_do(line):
    line.invite("ann", "CODE")

    outcomes = together(24, lambda n: line.join_party(str(n), "CODE").outcome)

    assert outcomes.count("joined") == 3
    assert outcomes.count("party_full") == 21
    assert line.peek("ann").party_size == 4


def test_control_counting_before_joining_lets_too_many_in(line):
    client, everybody_has_counted = redis.queue_client(), Barrier(8)

    def join_in_two_steps(number: int) -> bool:
        others = client.hget(keys.key(7, "parties"), "ann") or ""
        everybody_has_counted.wait(60)
        return len(others.split()) < 3 and bool(
            client.hset(keys.key(7, "companions"), str(number), "ann")
        )

    assert together(8, join_in_two_steps).count(True) == 8


def test_whatever_members_do_at_once_each_is_in_one_place(line):
    """Leaders and companions leave, change parties and are called at the same moment."""
    people = [str(number) for number in range(40)]
    line.join(*people[:20])
    for leader in people[:10]:
        line.invite(leader)

    def act_often(number: int) -> None:
        person = people[number]
        for step in range(6):
            line.join_party(person, f"CODE{people[(number + step) % 10]}")
            if (number + step) % 3 == 0:
                line.leave(person)
            if (number + step) % 4 == 0:
                line.join(person)
        if number % 10 == 0:
            line.tick(state="open", cap=10)

    together(40, act_often)

    assert_consistent(line)
    parties = redis.queue_client().hgetall(keys.key(7, "parties"))
    assert all(len(people.split()) <= 3 for who, people in parties.items() if who[0] != "#")


# -- any order of steps ---------------------------------------------------------------------------

PEOPLE = st.sampled_from([str(number) for number in range(1, 9)])
STEPS = st.one_of(
    st.tuples(st.just("join"), PEOPLE),
    st.tuples(st.just("leave"), PEOPLE),
    st.tuples(st.just("claim"), PEOPLE),
    st.tuples(st.just("block"), st.just("8")),
    st.tuples(st.just("demote"), PEOPLE),
    st.tuples(st.just("undo_demotion"), PEOPLE),
    st.tuples(st.just("invite"), PEOPLE, PEOPLE),
    st.tuples(st.just("invite"), PEOPLE, PEOPLE),
    st.tuples(st.just("bypass"), PEOPLE),
    st.tuples(st.just("tick"), st.integers(0, 6)),
    st.tuples(st.just("silence"), PEOPLE),
)
searched = settings(max_examples=60, deadline=None, derandomize=True)


@searched
@given(st.lists(STEPS, max_size=30), st.sampled_from(["open", "paused", "lobby"]))
def test_whatever_people_and_operators_do_the_line_is_consistent(steps, state):
    """And every server that follows the messages knows the same numbers as the line."""
    redis.queue_client().flushdb()
    line = Line().begin(state="paused", rate=0, cap=0, absence_ms=10_000, companions=3)
    line.join("1", "2", "3")
    if state != "paused":
        line.begin(state=state)
    ranks = None
    for step in steps:
        act(line, *step)
        assert_consistent(line)
        ranks = followed(line, ranks)


def act(line: Line, kind: str, *args: Any) -> None:
    match kind:
        case "invite":
            leader, companion = args
            code = line.invite(leader).code
            line.join_party(companion, code or "NONE")
        case "block":
            line.leave(args[0], "blocked", "why")
        case "demote":
            line.demote(args[0], batch=str(store.ms(line.now)))
        case "bypass":
            store.run(store.set_bypass(7, [args[0]]))
        case "tick":
            line.wait(1).tick(cap=args[0])
        case "silence":
            while_only(line, args[0]).tick()
        case _:
            getattr(line, kind)(*args)


def followed(line: Line, ranks: tuple[LocalRanks, Any] | None) -> tuple[LocalRanks, Any]:
    message = store.run(store.tick_message(7))
    if ranks and message.comes_after(ranks[1]):
        ranks[0].follow(message)
        known = ranks[0]
    else:
        known = LocalRanks(store.line_numbers(7), message)
    expected = list(line.places().values())
    assert [n for n in range(message.head, message.last + 1) if known.has(n)] == expected
    return known, message


def assert_consistent(line: Line) -> None:
    client = redis.queue_client()
    names = ("line", "ready", "inside", "lobby")
    places = {name: set(client.zrange(keys.key(7, name), 0, -1)) for name in names}
    waiting = places["line"] | places["lobby"]
    companions = client.hgetall(keys.key(7, "companions"))
    parties = client.hgetall(keys.key(7, "parties"))
    listed = {
        person: leader
        for leader, people in parties.items()
        if not leader.startswith("#")
        for person in people.split()
    }
    assert companions == listed
    assert set(companions.values()) <= waiting
    everywhere = [*waiting, *places["ready"], *places["inside"], *companions]
    assert len(everywhere) == len(set(everywhere))
    assert set(client.zrange(keys.key(7, "seen"), 0, -1)) == waiting | companions.keys()
    assert len(set(line.places().values())) == len(line.places())
