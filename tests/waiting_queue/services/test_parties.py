"""Parties by the services: codes, limits, the journal, and a line that is rebuilt."""

import pytest

from tests.waiting_queue.minutes import begin_of_minute
from tests.waiting_queue.services.steps import join_all, seconds
from ticketing.core import redis
from waiting_queue import errors, services, store
from waiting_queue.models import QueueJournal, SaleQueue
from waiting_queue.tokens import QueueToken

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def line(open_queue, now) -> SaleQueue:
    """Paused, with three people in it."""
    services.move_queue(event_id=open_queue.pk, to="paused", by=None, now=now)
    join_all(open_queue, ["1", "2", "3"], now)
    return open_queue


def join_party(line, leader: str, *companions: str, now) -> None:
    code = services.invite(event_id=line.pk, person=leader, now=now).code
    for person in companions:
        services.join_party(event_id=line.pk, person=person, code=code, now=now)


def peek(line, person: str, now):
    return store.run(store.peek(line.pk, person, now))


def lose_redis(line, now) -> None:
    services.drain_journals()
    redis.queue_client().flushdb()
    services.tick_open_queues(now=now)


def test_a_code_is_typed_as_one_likes(line, now):
    code = services.invite(event_id=line.pk, person="1", now=now).code
    typed = f" {code[:5].lower()}-{code[5:]} "

    joined = services.join_party(event_id=line.pk, person="9", code=typed, now=now)

    assert (joined.number, joined.leader, joined.just_joined) == (1, "1", True)
    assert len(code) == 10


def test_refusals_are_errors(line, operator, now):
    with pytest.raises(errors.NotInLine):
        services.invite(event_id=line.pk, person="9", now=now)
    with pytest.raises(errors.NoInvitation):
        services.join_party(event_id=line.pk, person="9", code="WRONG", now=now)
    services.set_knobs(event_id=line.pk, knobs={"companions": 0}, by=operator, now=now)
    services.tick_open_queues(now=now)
    with pytest.raises(errors.NoParties):
        services.invite(event_id=line.pk, person="1", now=now)


def test_a_companion_is_in_one_line_only(line, now):
    """As anybody who joins; the place that they have is not lost by it."""
    join_party(line, "1", "9", now=now)

    memberships = store.run(store.add_membership(line.pk, "9", now))

    assert list(memberships) == [line.pk]


def test_the_journal_tells_who_waited_with_whom(line, now):
    join_party(line, "1", "8", "9", now=now)
    services.leave(event_id=line.pk, person="1", now=now)
    services.drain_journals()

    entries = QueueJournal.objects.exclude(kind="join").order_by("id")
    assert list(entries.values_list("person", "kind", "number", "leader")) == [
        (8, "companion", 1, 1),
        (9, "companion", 1, 1),
        (8, "lead", 1, None),
        (9, "companion", 1, 8),
        (1, "left", 1, None),
    ]


def test_a_rebuilt_line_has_its_parties_in_order(line, now):
    join_party(line, "2", "9", "7", "8", now=now)
    services.leave(event_id=line.pk, person="9", now=now)

    lose_redis(line, now + seconds(1))

    for person in "278":
        found = peek(line, person, now + seconds(1))
        assert (found.number, found.leader, found.party_size) == (2, "2", 3)
    assert peek(line, "9", now).state == "left"
    services.leave(event_id=line.pk, person="2", now=now + seconds(2))
    assert peek(line, "8", now).leader == "7"


def test_a_rebuilt_line_knows_who_was_called_together(line, operator, now):
    join_party(line, "1", "9", now=now)
    services.move_queue(event_id=line.pk, to="open", by=operator, now=now)
    services.tick_open_queues(now=now + seconds(1))
    services.claim(event_id=line.pk, person="9", now=now + seconds(1))

    lose_redis(line, now + seconds(2))

    at = now + seconds(2)
    assert [(peek(line, who, at).state, peek(line, who, at).leader) for who in "91"] == [
        ("admitted", "1"),
        ("ready", "1"),
    ]
    assert services.require_turn(event_id=line.pk, person="9", now=at).party == 1


def test_a_rebuilt_lobby_has_its_parties(queue, now):
    services.move_queue(event_id=queue.pk, to="lobby", by=None, now=now)
    join_all(queue, ["1"], now)
    join_all(queue, ["2"], now + seconds(1))
    join_party(queue, "1", "9", now=now + seconds(2))
    services.leave(event_id=queue.pk, person="1", now=now + seconds(3))

    lose_redis(queue, now + seconds(4))

    assert store.lobby_people(queue.pk) == ["9", "2"]
    assert peek(queue, "9", now).leader == ""


def test_a_rebuilt_minute_has_the_place_that_was_handed_over(queue, operator, now):
    start = begin_of_minute(now)
    knobs = {"mode": "minute_draw", "admit_per_second": 1e-9}
    services.set_knobs(event_id=queue.pk, knobs=knobs, by=operator, now=start)
    services.move_queue(event_id=queue.pk, to="open", by=operator, now=start)
    join_all(queue, ["1"], start + seconds(1))
    join_party(queue, "1", "9", now=start + seconds(2))
    services.leave(event_id=queue.pk, person="1", now=start + seconds(3))

    lose_redis(queue, start + seconds(4))
    services.tick_open_queues(now=start + seconds(61))
    services.tick_open_queues(now=start + seconds(62))

    found = peek(queue, "9", start + seconds(62))
    assert (found.state, found.leader) == ("waiting", "")


def test_a_companion_whose_leader_was_lost_is_not_left_half_in_line(line, now):
    join_party(line, "1", "9", now=now)
    services.drain_journals()
    QueueJournal.objects.filter(person=1).delete()
    redis.queue_client().flushdb()

    services.tick_open_queues(now=now + seconds(1))

    assert peek(line, "9", now).state == "none"
    epoch = SaleQueue.objects.get().epoch
    held = QueueToken(line.pk, "9", 1, "an earlier epoch")
    assert held.epoch != epoch
    assert services.join(event_id=line.pk, person="9", now=now + seconds(1)).state == "waiting"


def test_a_draw_gives_a_party_one_number(queue, operator, now):
    services.move_queue(event_id=queue.pk, to="lobby", by=operator, now=now)
    join_all(queue, ["1", "2"], now)
    join_party(queue, "1", "8", "9", now=now)
    services.set_knobs(event_id=queue.pk, knobs={"max_inside": 1}, by=operator, now=now)
    services.move_queue(event_id=queue.pk, to="open", by=operator, now=now)

    services.draw_lobby(event_id=queue.pk, now=now)

    numbers = {person: peek(queue, person, now).number for person in "1289"}
    assert numbers["1"] == numbers["8"] == numbers["9"]
    assert {numbers["1"], numbers["2"]} == {1, 2}


def test_only_those_who_were_called_together_have_one_limit(line, operator, now):
    join_party(line, "1", "9", now=now)
    services.move_queue(event_id=line.pk, to="open", by=operator, now=now)
    services.tick_open_queues(now=now + seconds(2))
    for person in "192":
        services.claim(event_id=line.pk, person=person, now=now + seconds(2))

    turns = {
        who: services.require_turn(event_id=line.pk, person=who, now=now + seconds(2)).party
        for who in "192"
    }

    assert turns == {"1": 1, "9": 1, "2": None}


def test_a_pass_that_another_browser_takes_over_is_still_that_of_the_party(line, operator, now):
    join_party(line, "1", "9", now=now)
    services.move_queue(event_id=line.pk, to="open", by=operator, now=now)
    at = now + seconds(1)
    services.tick_open_queues(now=at)
    services.claim(event_id=line.pk, person="9", now=at, browser="A")

    services.take_over(event_id=line.pk, person="9", now=at, browser="B")

    found = peek(line, "9", at)
    assert (found.leader, found.browser, found.moves) == ("1", "B", 1)
    assert services.require_turn(event_id=line.pk, person="9", now=at).party == 1
