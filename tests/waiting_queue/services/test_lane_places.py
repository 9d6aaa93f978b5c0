"""Lanes beside parties, demotion, the bypass list and minutes: keys, refusals, rebuilt lines."""

import pytest

from tests.making import make_user
from tests.race import together
from tests.waiting_queue.lanes import add_codes, add_lane
from tests.waiting_queue.minutes import begin_of_minute
from tests.waiting_queue.services.steps import seconds
from ticketing.core import redis
from ticketing.core.errors import InvalidInput
from waiting_queue import errors, services, store
from waiting_queue.keys import LANE_NUMBERS
from waiting_queue.models import LANES_OR_MINUTES, Lane, LaneKey, QueueJournal, SaleQueue
from waiting_queue.services.rebuilds import MAX_LOST_NUMBERS

pytestmark = pytest.mark.django_db(transaction=True)
Mode, State = SaleQueue.Mode, SaleQueue.State


@pytest.fixture
def lane(open_queue, now) -> Lane:
    """Of a line in which nobody is called, so that places can be looked at."""
    made = add_lane(open_queue, now)
    services.move_queue(event_id=open_queue.pk, to=State.PAUSED, by=None, now=now)
    return made


@pytest.fixture
def members(lane, now) -> list[str]:
    """Three people who have joined the lane with a code each."""
    people = [str(make_user().pk) for _ in range(3)]
    for person, code in zip(people, add_codes(lane, now, 3), strict=True):
        join(lane, person, now, code=code)
    return people


def join(of: Lane, person: str, now, **key):
    return services.join_lane(event_id=of.queue_id, person=person, now=now, **key)


def join_party(lane, leader: str, *companions: str, now):
    code = services.invite(event_id=lane.queue_id, person=leader, now=now).code
    for person in companions:
        joined = services.join_party(event_id=lane.queue_id, person=person, code=code, now=now)
    return joined


def places(lane, people: list[str], now) -> list[tuple]:
    found = store.run_all([store.peek(lane.queue_id, person, now) for person in people])
    return [
        (one.state, one.lane, one.number, one.ahead, one.leader, one.party_size, one.demoted_why)
        for one in found
    ]


def lose_redis(now) -> None:
    services.drain_journals()
    redis.queue_client().flushdb()
    services.tick_open_queues(now=now)


# -- keys of companions ---------------------------------------------------------------------------


def test_a_companion_needs_a_key_of_the_lane(lane, members, now):
    stranger = str(make_user().pk)

    with pytest.raises(errors.PartyNeedsKey):
        join_party(lane, members[0], stranger, now=now)
    assert join_party(lane, members[0], members[1], now=now).lane == 1


def test_a_key_that_was_used_before_is_enough(lane, members, now):
    services.leave(event_id=lane.queue_id, person=members[1], now=now)
    join(lane, members[1], now)

    joined = join_party(lane, members[0], members[1], now=now)

    assert (joined.lane, joined.number_in_lane, joined.leader) == (1, 1, members[0])


def test_an_address_on_the_list_is_a_key_and_is_taken(open_queue, now):
    lane = add_lane(open_queue, now, key=Lane.Key.EMAILS)
    services.move_queue(event_id=open_queue.pk, to=State.PAUSED, by=None, now=now)
    leader, companion = make_user(), make_user()
    text = f"{leader.email}\n{companion.email}\n"
    services.import_keys(lane=lane, text=text, by=None, now=now)
    join(lane, str(leader.pk), now, lane=1)

    assert join_party(lane, str(leader.pk), str(companion.pk), now=now).lane == 1
    assert LaneKey.objects.filter(person=companion).exists()


def test_one_key_is_one_place_however_often_it_is_handed_over(lane, members, now):
    """The leader leaves the place to a companion and joins again: both have a key."""
    join_party(lane, members[0], members[1], now=now)
    services.leave(event_id=lane.queue_id, person=members[0], now=now)
    join(lane, members[0], now, lane=1)

    waiting = int(store.run(store.snapshot(lane.queue_id))["lane:1:waiting"])
    assert waiting == LaneKey.objects.exclude(person=None).count() == 3


def test_companions_without_keys_who_try_at_once_are_all_refused(lane, members, now):
    code = services.invite(event_id=lane.queue_id, person=members[0], now=now).code
    strangers = [str(make_user().pk) for _ in range(8)]

    results = together(
        8,
        lambda number: services.join_party(
            event_id=lane.queue_id, person=strangers[number], code=code, now=now
        ),
    )

    assert {type(one) for one in results} == {errors.PartyNeedsKey}


# -- rebuilt lines --------------------------------------------------------------------------------


def test_a_rebuilt_line_has_lanes_parties_and_demotions(lane, members, operator, now):
    in_line = [str(make_user().pk) for _ in range(4)]
    for person in in_line:
        join(lane, person, now)
    join_party(lane, members[1], members[2], now=now)
    join_party(lane, in_line[0], in_line[1], now=now)
    moved = [members[0], in_line[2]]
    services.demote_people(
        event_id=lane.queue_id, people=moved, by=operator, why="two accounts", now=now
    )
    everybody = [*members, *in_line]
    before = places(lane, everybody, now)
    assert before[0][1] == 1
    assert before[0][3] == 1  # behind the party, at the end of the lane
    assert before[0][6] == "two accounts"

    lose_redis(now + seconds(1))

    assert places(lane, everybody, now) == before
    services.undo_demotion(event_id=lane.queue_id, person=members[0], by=operator, now=now)
    assert places(lane, members[:1], now)[0][1:4] == (1, before[1][2] - 1, 0)


def test_a_rebuilt_lobby_has_its_lanes_and_the_place_that_was_handed_over(queue, operator, now):
    lane = add_lane(queue, now)
    services.move_queue(event_id=queue.pk, to=State.LOBBY, by=operator, now=now)
    people = [str(make_user().pk) for _ in range(3)]
    for person, code in zip(people, add_codes(lane, now, 3), strict=True):
        join(lane, person, now, code=code)
    join_party(lane, *people, now=now)
    services.leave(event_id=queue.pk, person=people[0], now=now)
    before = places(lane, people[1:], now)
    assert [one[:2] for one in before] == [("lobby", 1), ("lobby", 1)]

    lose_redis(now + seconds(1))
    assert places(lane, people[1:], now) == before
    services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=now + seconds(2))
    services.tick_open_queues(now=now + seconds(2))

    services.drain_journals()
    drawn = QueueJournal.objects.get(person=int(people[1]), kind="join")
    assert drawn.number == LANE_NUMBERS + MAX_LOST_NUMBERS + 1


def test_lanes_called_are_counted_again_without_those_let_in(lane, members, operator, now):
    services.add_bypass(
        event_id=lane.queue_id, person=members[1], by=operator, why="press", now=now
    )
    services.move_queue(event_id=lane.queue_id, to=State.OPEN, by=operator, now=now)
    services.tick_open_queues(now=now + seconds(5))
    called = store.run(store.snapshot(lane.queue_id))["lane:1:called"]

    lose_redis(now + seconds(6))

    assert store.run(store.snapshot(lane.queue_id))["lane:1:called"] == called == "2"


# -- minutes --------------------------------------------------------------------------------------


def test_a_line_with_lanes_is_not_drawn_by_minutes(lane, operator, now):
    with pytest.raises(InvalidInput) as refused:
        services.set_knobs(
            event_id=lane.queue_id, knobs={"mode": Mode.MINUTE_DRAW}, by=operator, now=now
        )

    assert refused.value.details["fields"] == {"mode": [LANES_OR_MINUTES]}
    assert Mode.MINUTE_DRAW not in dict(services.mode_choices(lane.queue))


def test_a_line_that_is_drawn_by_minutes_gets_no_lanes(open_queue, operator, now):
    knobs = {"mode": Mode.MINUTE_DRAW}
    services.set_knobs(event_id=open_queue.pk, knobs=knobs, by=operator, now=now)

    with pytest.raises(InvalidInput):
        add_lane(open_queue, now)
    assert not Lane.objects.exists()


def test_of_both_at_once_one_is_refused(open_queue, operator, now):
    """Both hold the lock of the queue."""

    def try_one(number: int):
        if number % 2:
            return add_lane(open_queue, now)
        knobs = {"mode": Mode.MINUTE_DRAW}
        return services.set_knobs(event_id=open_queue.pk, knobs=knobs, by=operator, now=now)

    together(8, try_one)

    open_queue.refresh_from_db()
    assert (open_queue.mode == Mode.MINUTE_DRAW) != Lane.objects.exists()


def test_lanes_added_after_minutes_survive_the_loss_of_redis(open_queue, operator, now):
    """A minute that was not drawn yet keeps its numbers; the new lane begins at 1."""
    start = begin_of_minute(now)
    knobs = {"mode": Mode.MINUTE_DRAW, "max_inside": 1, "admit_per_second": 1e-9}
    services.set_knobs(event_id=open_queue.pk, knobs=knobs, by=operator, now=start)
    early = [str(make_user().pk) for _ in range(5)]
    for person in early:
        services.join(event_id=open_queue.pk, person=person, now=start + seconds(1))
    knobs = {"mode": Mode.FIRST_COME}
    services.set_knobs(event_id=open_queue.pk, knobs=knobs, by=operator, now=start + seconds(2))
    lane = add_lane(open_queue, start + seconds(2))
    services.tick_open_queues(now=start + seconds(3))
    member, [code] = str(make_user().pk), add_codes(lane, start)
    assert join(lane, member, start + seconds(3), code=code).number == 10**10 + 1

    lose_redis(start + seconds(4))
    services.tick_open_queues(now=start + seconds(5))

    found = places(lane, early, start)
    assert sorted(one[2] for one in found) == [1, 2, 3, 4, 5]
    assert places(lane, [member], start)[0][1:4] == (1, 10**10 + 1, 0)
