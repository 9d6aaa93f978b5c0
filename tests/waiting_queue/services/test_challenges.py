"""Joining in a rush: after a challenge, whose difficulty follows what is known of who asks."""

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async

from tests.race import together
from tests.waiting_queue.challenges import ADDRESS, rush, solution_of
from ticketing.core import challenges, clock, redis
from ticketing.core.errors import TooManyRequests
from waiting_queue import keys, services, store
from waiting_queue.errors import ChallengeRequired, QueueOver
from waiting_queue.models import PlaceSignals
from waiting_queue.services import Newcomer
from waiting_queue.services.challenges import (
    account_age,
    difficulty,
    rush_level,
)
from waiting_queue.store import JoinCounts

pytestmark = pytest.mark.django_db(transaction=True)
LONG_AGO = 1_500_000_000


@pytest.fixture
def rushed(open_queue):
    rush(open_queue.pk)
    return open_queue


def join(
    queue: Any, person: str = "1", solution: str = "", now: datetime | None = None, **more: Any
) -> Any:
    more = {"address": ADDRESS, "account_since": LONG_AGO} | more
    who: Any = {"event_id": queue.pk, "person": person, "now": now or clock.now()}
    return services.join(**who, newcomer=Newcomer(solution=solution, **more))


def leave(queue: Any) -> None:
    services.leave(event_id=queue.pk, person="1", now=clock.now())


def places_taken_with(queue: Any, solution: str) -> int:
    """By eight who join with it and leave, twice, all at the same moment."""

    def join_and_leave(_: int) -> int:
        taken = 0
        for _ in range(2):
            with suppress(ChallengeRequired):
                taken += join(queue, solution=solution).just_joined
                leave(queue)
        return taken

    return sum(together(8, join_and_leave))


def challenge_for(queue: Any, person: str = "1", **more: Any) -> dict[str, Any]:
    with pytest.raises(ChallengeRequired) as refusal:
        join(queue, person, **more)
    found: dict[str, Any] = refusal.value.details["challenge"]
    return found


def test_a_calm_line_asks_nobody(open_queue, django_assert_num_queries):
    rush(open_queue.pk, joins=49)

    with django_assert_num_queries(0):
        assert join(open_queue).just_joined
    assert not redis.queue_client().exists(keys.asked(open_queue.pk, "1"))


def test_in_a_rush_a_challenge_is_solved_first(rushed):
    solution = solution_of(challenge_for(rushed))

    assert join(rushed, solution=solution).just_joined


def test_a_solution_is_used_once(rushed):
    solution = solution_of(challenge_for(rushed))
    join(rushed, solution=solution)
    leave(rushed)

    with pytest.raises(ChallengeRequired):
        join(rushed, solution=solution)
    assert not redis.queue_client().exists(keys.memberships("1"))


def test_a_refused_join_does_not_use_it_up(rushed, now):
    solution = solution_of(challenge_for(rushed))
    services.move_queue(event_id=rushed.pk, to="draining", by=None, now=now)
    with pytest.raises(QueueOver):
        join(rushed, solution=solution)

    services.move_queue(event_id=rushed.pk, to="open", by=None, now=now)

    assert join(rushed, solution=solution).just_joined


def test_joining_with_a_solution_counts_nothing_again(rushed):
    join(rushed, solution=solution_of(challenge_for(rushed)))

    client = redis.queue_client()
    assert client.get(keys.asked(rushed.pk, "1")) == client.get(keys.challenged(rushed.pk)) == "1"


def test_a_limit_that_is_reached_later_does_not_make_a_solution_useless(rushed, settings):
    settings.JOINS_PER_RANGE = 1
    solution = solution_of(challenge_for(rushed))
    with pytest.raises(TooManyRequests):
        join(rushed, "2")

    assert join(rushed, solution=solution).just_joined


def test_a_solution_is_of_no_use_to_somebody_else(rushed):
    solution = solution_of(challenge_for(rushed, "1"))

    with pytest.raises(ChallengeRequired):
        join(rushed, "2", solution=solution)
    assert join(rushed, "1", solution=solution).just_joined  # it was not used up


def test_of_many_calls_with_one_solution_one_joins(rushed, settings):
    settings.MOVES_PER_MINUTE = 0
    solution = solution_of(challenge_for(rushed))

    assert places_taken_with(rushed, solution) == 1


def test_control_without_noting_it_one_solution_serves_many(rushed, settings, monkeypatch):
    settings.MOVES_PER_MINUTE = 0
    solution = solution_of(challenge_for(rushed))
    monkeypatch.setattr(keys, "solved", lambda event_id, name: keys.key(event_id, f"{uuid4()}"))

    assert places_taken_with(rushed, solution) > 1


def test_who_waits_too_short_goes_on_waiting_with_the_same_token(rushed):
    wait = challenge_for(rushed)["wait"]

    again = challenge_for(rushed, solution=wait["token"])["wait"]

    assert again["token"] == wait["token"]
    assert again["seconds"] <= wait["seconds"]


def test_who_waited_joins(rushed):
    began = clock.now() - timedelta(seconds=challenges.WAITS[1])
    wait = challenges.new_challenge(f"join:{rushed.pk}:1", 1, now=began, noted="1,0,0")["wait"]

    assert join(rushed, solution=wait["token"]).just_joined


@pytest.mark.parametrize(("joins", "level"), [(0, 0), (49, 0), (50, 1), (200, 2), (5_000, 3)])
def test_difficulty_grows_with_the_rush(joins, level):
    assert rush_level(joins) == level


def test_whoever_has_a_place_gets_it_also_from_a_range_above_its_limit(rushed, settings):
    joined = join(rushed, solution=solution_of(challenge_for(rushed)))
    settings.JOINS_PER_RANGE = 1
    with pytest.raises(TooManyRequests):
        join(rushed, "2")

    assert join(rushed).number == joined.number


def test_whoever_has_a_place_is_not_counted_again(rushed):
    join(rushed, solution=solution_of(challenge_for(rushed)))

    join(rushed)

    assert redis.queue_client().get(keys.challenged(rushed.pk)) == "1"


def test_whoever_had_a_place_is_a_newcomer_again(rushed):
    """Also before the tick has noticed that their time is over."""
    join(rushed, solution=solution_of(challenge_for(rushed)))
    services.tick_open_queues(now=clock.now() + timedelta(seconds=1))
    rush(rushed.pk)
    called = join(rushed)
    assert called.state in {"ready", "admitted"}

    challenge_for(rushed, now=datetime.fromtimestamp(called.deadline_ms / 1000 + 1, UTC))


async def test_it_is_the_same_in_the_event_loop(rushed, settings):
    challenge = await sync_to_async(challenge_for)(rushed)
    joined = await sync_to_async(join)(rushed, solution=solution_of(challenge))
    settings.JOINS_PER_RANGE = 1
    who: Any = {"event_id": rushed.pk, "now": clock.now()}
    newcomer = Newcomer(address=ADDRESS, account_since=LONG_AGO)
    with pytest.raises(TooManyRequests):
        await services.ajoin(**who, person="2", newcomer=newcomer)

    assert (await services.ajoin(**who, person="1", newcomer=newcomer)).number == joined.number
    await services.aleave(**who, person="1")
    settings.JOINS_PER_RANGE = 0
    used = replace(newcomer, solution=solution_of(challenge))
    with pytest.raises(ChallengeRequired):
        await services.ajoin(**who, person="1", newcomer=used)


def test_verified_people_have_an_easier_challenge(rushed):
    crowd = JoinCounts(asked=9, run_outs=0, from_range=300, with_device=9)

    assert difficulty(3, "day", crowd) == challenges.HARDEST
    assert difficulty(3, "day", crowd, is_verified=True) == 2
    assert challenge_for(rushed, account_since=0, is_verified=True)["level"] == 1


def test_joining_a_party_is_challenged_like_every_way_into_the_line(open_queue):
    who: Any = {"event_id": open_queue.pk, "now": clock.now()}
    services.move_queue(**who, to="paused", by=None)
    services.join(**who, person="1")
    code = services.invite(**who, person="1").code
    rush(open_queue.pk)
    newcomer = Newcomer(address=ADDRESS, account_since=LONG_AGO)

    with pytest.raises(ChallengeRequired) as refusal:
        services.join_party(**who, person="2", code=code, newcomer=newcomer)

    solution = solution_of(refusal.value.details["challenge"])
    solved = replace(newcomer, solution=solution)
    assert services.join_party(**who, person="2", code=code, newcomer=solved).just_joined
    services.leave(**who, person="2")
    with pytest.raises(ChallengeRequired):  # it is used up
        services.join_party(**who, person="2", code=code, newcomer=solved)
    services.drain_signals()
    assert PlaceSignals.objects.get(event_id=open_queue.pk).person == 2


def test_whoever_is_in_line_joins_a_party_without_another_challenge(open_queue):
    who: Any = {"event_id": open_queue.pk, "now": clock.now()}
    services.move_queue(**who, to="paused", by=None)
    for person in ("1", "2"):
        services.join(**who, person=person)
    code = services.invite(**who, person="1").code
    rush(open_queue.pk)

    joined = services.join_party(**who, person="2", code=code, newcomer=Newcomer(address=ADDRESS))

    assert joined.leader == "1"


def test_it_can_be_switched_off(settings):
    settings.CHALLENGE = "off"

    assert rush_level(5_000) == 0


@pytest.mark.parametrize(
    ("age", "counts", "level"),
    [
        ("older", {}, 1),
        ("day", {}, 2),
        ("unknown", {}, 2),
        ("older", {"from_range": 20}, 1),
        ("older", {"from_range": 21}, 2),
        ("older", {"from_range": 201}, 3),
        ("older", {"with_device": 3}, 2),
        ("older", {"asked": 7}, 2),
        ("older", {"run_outs": 1}, 2),
        ("day", {"from_range": 201, "with_device": 3, "asked": 7, "run_outs": 1}, 5),
    ],
)
def test_difficulty_follows_what_is_known(age, counts, level):
    assert difficulty(1, age, JoinCounts(**counts)) == level


def test_people_of_one_range_and_accounts_of_one_browser_are_counted_once(rushed):
    for person in ("1", "2", "2", "3"):
        challenge_for(rushed, person, address=f"203.0.113.{person}", device="d")

    ways: Any = {"network": "203.0.113.0/24", "device": "d", "now": clock.now()}
    counts = store.run(store.count_join(rushed.pk, "3", **ways))
    assert counts is not None
    assert (counts.from_range, counts.with_device, counts.asked) == (3, 3, 2)


def test_far_too_many_of_one_range_are_refused(rushed, settings):
    settings.JOINS_PER_RANGE = 1
    challenge_for(rushed, "1")

    with pytest.raises(TooManyRequests):
        join(rushed, "2")
    challenge_for(rushed, "2", address="198.51.100.1")  # another range


def test_what_no_proxy_names_is_not_counted(rushed, settings):
    settings.JOINS_PER_RANGE = 1
    for person in ("1", "2", "3"):
        challenge_for(rushed, person, address="127.0.0.1")


def test_the_tick_tells_how_many_join(open_queue, now):
    services.tick_open_queues(now=now)
    for person in range(120):
        services.join(event_id=open_queue.pk, person=str(person), now=now)

    services.tick_open_queues(now=now + timedelta(seconds=2))

    message = store.last_tick_message(open_queue.pk)
    assert message is not None
    assert message.joins == 60


def test_signals_are_kept_with_the_place(rushed):
    solution = solution_of(challenge_for(rushed, device="d"))
    join(rushed, solution=solution, device="d")

    assert services.drain_signals() == 1

    kept = PlaceSignals.objects.get()
    assert (kept.event_id, kept.person, kept.address_range) == (rushed.pk, 1, "203.0.113.0/24")
    assert kept.signals | {"solve_ms": 0} == {
        "account_age": "older",
        "device": "d",
        "range_joins": 1,
        "device_joins": 1,
        "challenge": "proof_of_work",
        "difficulty": 1,
        "solve_ms": 0,
        "holds_run_out": 0,
    }


def test_signals_that_are_drained_twice_are_kept_once(open_queue, monkeypatch):
    join(open_queue)
    with monkeypatch.context() as crash:
        crash.setattr(store, "delete_signals", lambda entries: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            services.drain_signals()

    services.drain_signals()

    assert PlaceSignals.objects.count() == 1
    assert services.drain_signals() == 0


def test_signals_of_an_event_that_is_gone_are_dropped(open_queue):
    services.record_signals(10**9, "1", {})

    assert services.drain_signals() == 1
    assert not PlaceSignals.objects.exists()


@pytest.mark.parametrize(
    ("seconds", "name"),
    [(60, "day"), (2 * 86_400, "week"), (8 * 86_400, "month"), (10**8, "older")],
)
def test_age_of_an_account_is_a_class(now, seconds, name):
    assert account_age(int(now.timestamp()) - seconds, now) == name


def test_who_solves_nothing_does_not_make_the_line_seem_calm(rushed, now):
    services.tick_open_queues(now=now)
    rush(rushed.pk)
    for person in range(120):
        challenge_for(rushed, str(person))

    services.tick_open_queues(now=now + timedelta(seconds=2))

    message = store.last_tick_message(rushed.pk)
    assert message is not None
    assert message.joins == 60
