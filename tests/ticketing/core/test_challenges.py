"""Challenges: signed, for one person and one thing, for a few minutes."""

import json
from base64 import b64decode, b64encode
from datetime import timedelta
from typing import Any

import pytest

from tests.waiting_queue.challenges import solution_of
from ticketing.core import challenges, clock
from ticketing.core.challenges import TRIES, WAITS, BadSolution, TooEarly
from ticketing.core.tokens import TokenSigner

PURPOSE = "join:7:42"
TOKEN = ("challenge", "parameters", "data", "token")


def changed(solution: str, *path: str, to: Any) -> str:
    read: dict[str, Any] = json.loads(b64decode(solution))
    inner = read
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = to
    return b64encode(json.dumps(read).encode()).decode()


def signed_by_another_site() -> str:
    return TokenSigner("ch_", "another purpose").sign(f"{PURPOSE}|1|{10**13}|00|00|")


@pytest.fixture(scope="module")
def solution() -> str:
    return solution_of(challenges.new_challenge(PURPOSE, 1, now=clock.now()))


def test_a_solution_says_what_was_solved(solution):
    solved = challenges.check_solution(solution, PURPOSE, now=clock.now())

    assert (solved.kind, solved.level) == ("proof_of_work", 1)
    assert solved.solve_ms >= 0


@pytest.mark.parametrize(
    "forge",
    [
        lambda solution: "",
        lambda solution: "nonsense",
        lambda solution: "x" * 5_000,
        lambda solution: b64encode(b"[1]").decode(),
        lambda solution: changed(solution, *TOKEN, to="ch_x.y"),
        lambda solution: changed(solution, *TOKEN, to=7),
        lambda solution: changed(solution, *TOKEN[:-1], to=None),
        lambda solution: changed(solution, *TOKEN, to=signed_by_another_site()),
        lambda solution: changed(solution, "solution", "derivedKey", to="00" * 32),
        lambda solution: changed(solution, "solution", "derivedKey", to=7),
    ],
)
def test_a_forged_solution_is_refused(solution, forge):
    with pytest.raises(BadSolution):
        challenges.check_solution(forge(solution), PURPOSE, now=clock.now())


@pytest.mark.parametrize("purpose", ["join:7:43", "join:8:42", "sign_up:42"])
def test_a_solution_is_for_one_person_and_one_thing(solution, purpose):
    with pytest.raises(BadSolution):
        challenges.check_solution(solution, purpose, now=clock.now())


def test_what_was_noted_comes_back_with_the_solution():
    challenge = challenges.new_challenge(PURPOSE, 1, now=clock.now(), noted="3,1,0")

    solved = challenges.check_solution(solution_of(challenge), PURPOSE, now=clock.now())

    assert solved.noted == "3,1,0"


def test_a_solution_expires():
    earlier = clock.now() - challenges.LIFETIME - timedelta(seconds=2)
    solution = solution_of(challenges.new_challenge(PURPOSE, 1, now=earlier))

    with pytest.raises(BadSolution):
        challenges.check_solution(solution, PURPOSE, now=clock.now())


def test_a_solution_of_another_site_is_refused(solution, settings):
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another" * 10, []

    with pytest.raises(BadSolution):
        challenges.check_solution(solution, PURPOSE, now=clock.now())


def test_a_solution_of_the_previous_key_is_accepted(solution, settings):
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "another" * 10

    assert challenges.check_solution(solution, PURPOSE, now=clock.now())


@pytest.mark.parametrize("level", range(1, len(TRIES)))
def test_the_work_is_bounded_on_both_sides(level):
    """The browser tries one counter after the other, up to the one that we chose."""
    challenge = challenges.new_challenge(PURPOSE, level, now=clock.now())
    read = json.loads(b64decode(solution_of(challenge)))

    assert TRIES[level] // 2 <= read["solution"]["counter"] < TRIES[level]


def test_who_has_no_script_waits_instead():
    began = clock.now()
    token = challenges.new_challenge(PURPOSE, 2, now=began)["wait"]["token"]

    with pytest.raises(TooEarly) as early:
        challenges.check_solution(token, PURPOSE, now=began + timedelta(seconds=WAITS[2] - 3))
    assert early.value.seconds == 3
    waited = challenges.check_solution(token, PURPOSE, now=began + timedelta(seconds=WAITS[2]))
    assert waited.kind == "wait"


@pytest.mark.parametrize("after", [0, 31, 301])
def test_a_wait_is_for_one_person_and_expires(after):
    began = clock.now()
    token = challenges.new_challenge(PURPOSE, 1, now=began)["wait"]["token"]
    purpose = PURPOSE if after == 301 else "join:7:43"

    with pytest.raises(BadSolution) as refusal:
        challenges.check_solution(token, purpose, now=began + timedelta(seconds=after))
    assert not isinstance(refusal.value, TooEarly)


def test_a_forged_wait_is_refused():
    token = challenges.new_challenge(PURPOSE, 1, now=clock.now())["wait"]["token"]

    with pytest.raises(BadSolution):
        challenges.check_solution(token[:-2] + "AA", PURPOSE, now=clock.now())
