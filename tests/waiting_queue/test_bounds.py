"""What is bounded in a tick, what clocks may do, and what a stale tick may not."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.waiting_queue.line import Line
from ticketing.core import redis
from waiting_queue import errors, keys, services, store
from waiting_queue.models import QueueDraw, SaleQueue
from waiting_queue.services.rebuilds import MAX_LOST_NUMBERS

State = SaleQueue.State


def crowd(count: int) -> list[str]:
    return [str(number) for number in range(1, count + 1)]


@pytest.fixture
def line() -> Line:
    return Line().begin(state="paused", cap=100_000)


# -- bounds ---------------------------------------------------------------------------------------


def test_those_who_went_away_do_not_hold_up_those_who_are_here(line):
    """A sweep that is not done yet takes no calls from the others."""
    line.rules = replace(line.rules, absence_ms=10_000)
    line.join(*crowd(6))
    line.wait(9).tick()
    line.wait(9).poll("6")
    rules = replace(line.rules, state="open", rate=0)

    ticked = store.run(store.tick(7, rules, line.now, sweep=1))

    assert ticked.called == ["6"]
    assert line.state("1") == "expired"


def test_what_a_batch_leaves_over_is_not_lost(line):
    line.join(*crowd(10))
    line.tick(state="open", rate=9)
    line.wait(1)

    calls = [store.run(store.tick(7, line.rules, line.now, batch=4)) for _ in range(4)]

    assert [len(ticked.called) for ticked in calls] == [4, 4, 1, 0]
    assert [ticked.more for ticked in calls] == [True, True, False, False]


def test_how_many_a_tick_calls_and_removes_at_once_are_settings(line, settings):
    settings.TICK_BATCH, settings.SWEEP_BATCH = 3, 2
    line.rules = replace(line.rules, absence_ms=10_000)
    line.join(*crowd(6))
    line.wait(9).tick()

    called = line.tick(state="open", rate=0)
    removed = line.wait(9).tick(state="paused")

    assert (called.called, called.more) == (crowd(3), True)
    assert (removed.absent, removed.more) == (2, True)


@pytest.mark.django_db(transaction=True)
def test_a_rate_above_one_batch_is_kept_within_the_second(queue, operator, now):
    for state in (State.OPEN, State.PAUSED):
        services.move_queue(event_id=queue.pk, to=state, by=operator, now=now)
    knobs = {"admit_per_second": 1_200.0, "max_inside": 5_000}
    services.set_knobs(event_id=queue.pk, knobs=knobs, by=operator, now=now)
    store.run_all([store.join(queue.pk, person, now) for person in crowd(2_000)])
    services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=now)
    services.tick_open_queues(now=now)

    ticked = services.tick_open_queues(now=now + timedelta(seconds=1))[queue.pk]

    assert ticked.called == crowd(1_200)


# -- clocks ---------------------------------------------------------------------------------------


def test_a_clock_that_was_a_day_ahead_stops_nothing_once_it_is_right(line):
    line.join(*crowd(100))
    line.tick(state="open", rate=1, cap=200)
    line.wait(86_400).tick()
    line.wait(-86_400).tick()

    assert len(line.wait(3).tick().called) == 3


def test_one_join_by_a_fast_clock_does_not_stop_the_calls(line):
    line.tick(state="open", rate=1)
    line.wait(86_400).join("ann")
    line.wait(-86_399).begin(state="paused").join(*crowd(9))
    first = line.tick(state="open").called

    assert first + line.wait(3).tick().called == crowd(len(first) + 3)


def test_seven_tenths_and_three_tenths_are_a_whole(line):
    line.join("ann")
    line.tick(state="open", rate=1)
    line.wait(0.7).tick()

    assert line.wait(0.3).tick().called == ["ann"]


# -- stale ticks, and a line that is being restored -----------------------------------------------


def test_a_tick_that_has_not_heard_of_the_opening_opens_no_lobby():
    line = Line().begin(state="lobby")
    line.join("ann", "ben")
    line.begin(state="open", drawing=True)

    line.tick(state="lobby", drawing=False)

    assert line.join("cem").standing.number == 3


def test_a_tick_that_hears_of_the_opening_first_sets_the_numbers_aside():
    line = Line().begin(state="lobby")
    line.join("ann", "ben")

    line.tick(state="open", drawing=True)

    assert line.join("cem").standing.number == 3


def test_nobody_slips_past_the_journal_while_the_line_is_being_restored(line):
    line.join("ann")
    line.tick(state="open", rate=0)
    line.claim("ann")
    store.delete_meta(7)

    assert line.leave("ann") == "none"
    assert line.poll("ann").epoch == ""
    assert redis.queue_client().exists(keys.key(7, "meta")) == 0


@pytest.mark.django_db(transaction=True)
def test_a_line_that_redis_lost_is_not_drawn(queue, operator, now):
    services.move_queue(event_id=queue.pk, to=State.LOBBY, by=operator, now=now)
    services.join(event_id=queue.pk, person="1", now=now)
    services.drain_journals()
    services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=now)
    redis.queue_client().flushdb()

    with pytest.raises(errors.QueueUnavailable):
        services.draw_lobby(event_id=queue.pk, now=now)
    services.tick_open_queues(now=now)

    assert QueueDraw.objects.get().people == ["1"]
    drawn = store.run(store.peek(queue.pk, "1", now))
    assert (drawn.number, drawn.ahead) == (1 + MAX_LOST_NUMBERS, 0)
