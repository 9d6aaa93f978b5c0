"""The shell twins of the admin's buttons: same services, same audit rows, errors as one line."""

from datetime import timedelta

import pytest
from django.core.management import CommandError

from tests.making import make_event
from tests.waiting_queue.commands.calling import run
from tests.waiting_queue.outage import no_queue_redis
from ticketing.core import redis
from waiting_queue import errors, services, store
from waiting_queue.models import QueueChange, SaleQueue

pytestmark = pytest.mark.django_db


def state_of(queue):
    return SaleQueue.objects.get(pk=queue.pk).state


# -- queue_move -----------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_a_queue_walks_through_its_states(queue):
    seen = []
    for move in ("lobby", "open", "pause", "resume", "drain", "close", "reopen"):
        then = {"then": "nobody"} if move == "close" else {}
        run("queue_move", queue.pk, move, why="rehearsal", **then)
        seen.append(state_of(queue))

    assert seen == ["lobby", "open", "paused", "open", "draining", "closed", "open"]
    assert QueueChange.objects.first().why == "rehearsal (from the command line)"


def test_closing_needs_to_know_what_follows(open_queue):
    with pytest.raises(CommandError, match="--then"):
        run("queue_move", open_queue.pk, "close")

    assert state_of(open_queue) == "open"


def test_a_move_is_recorded_for_the_operator_who_is_named(queue, operator):
    run("queue_move", queue.pk, "open", by=operator.email, why="eight o'clock")

    change = QueueChange.objects.get()
    assert (change.by, change.why) == (operator, "eight o'clock")


@pytest.mark.parametrize(
    ("move", "words"),
    [("pause", "It can't go from “scheduled” to “paused”"), ("fly", "invalid choice")],
)
def test_a_move_that_is_not_possible_says_why(move, words, queue):
    with pytest.raises(CommandError, match=words):
        run("queue_move", queue.pk, move)

    assert state_of(queue) == "scheduled"


def test_a_queue_that_is_not_there_is_not_found(db):
    with pytest.raises(CommandError, match="Not found"):
        run("queue_move", 0, "open")


def test_an_event_without_seats_is_not_opened(now):
    queue = SaleQueue.objects.create(event=make_event(now, seats=False), opens_at=now)

    with pytest.raises(CommandError, match="Create the seats from the plan first"):
        run("queue_move", queue.pk, "open")


@pytest.mark.django_db(transaction=True)
def test_a_move_without_redis_is_saved_and_says_so(queue):
    with no_queue_redis():
        out, err = run("queue_move", queue.pk, "open")

    assert "open" in out
    assert "Redis can't be reached" in err
    assert state_of(queue) == "open"


# -- queue_set ------------------------------------------------------------------------------------


def test_knobs_are_set_recorded_and_warned_of(queue, operator):
    out, err = run(
        "queue_set",
        *(queue.pk, "admit_per_second=25", "stock_factor=1.5", "mode=first_come"),
        *("opens_at=2031-12-24T20:00",),
        by=operator.email,
    )

    queue.refresh_from_db()
    assert (queue.admit_per_second, queue.stock_factor, queue.mode) == (25, 1.5, "first_come")
    assert queue.opens_at.isoformat() == "2031-12-24T11:00:00+00:00"
    assert "admit_per_second = 25.0" in out
    assert "the rate of 25/s will not be reached" in err
    assert QueueChange.objects.filter(by=operator).count() == 4


def test_a_knob_that_may_be_empty_is_turned_off(queue):
    SaleQueue.objects.update(stock_factor=2)

    run("queue_set", queue.pk, "stock_factor=off", "lobby_opens_at=")

    queue.refresh_from_db()
    assert (queue.stock_factor, queue.lobby_opens_at) == (None, None)


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        ("speed=9", "speed: There is no such knob. There are: max_inside"),
        ("max_inside", "max_inside: Write it as name=value."),
        ("max_inside=many", "max_inside: .*integer"),
        ("max_inside=0", "max_inside: .*greater than or equal to 1"),
        ("admit_per_second=nan", "admit_per_second: Enter a number."),
        ("admit_per_second=-1", "admit_per_second: .*greater than or equal to 0"),
        ("mode=perhaps", "mode: .*not a valid choice"),
        ("opens_at=tomorrow", "opens_at: .*tomorrow"),
        ("opens_at=", "opens_at: "),
        ("lobby_opens_at=2040-01-01", "The lobby opens before the queue."),
        ("pass_seconds=4000", "A pass can't be longer than the longest stay."),
    ],
)
def test_an_invalid_knob_says_why_and_nothing_is_changed(pair, words, queue):
    with pytest.raises(CommandError, match=words):
        run("queue_set", queue.pk, "capacity=7", pair)

    assert SaleQueue.objects.get().capacity == 50_000
    assert not QueueChange.objects.exists()


@pytest.mark.parametrize(
    ("state", "knob"),
    [
        ("lobby", "mode=first_come"),
        ("draining", "mode=passthrough"),
        ("lobby", "lobby_opens_at="),
        ("open", "opens_at=2031-12-24T20:00"),
        ("closed", "max_inside=5"),
    ],
)
def test_a_knob_that_is_fixed_in_this_state_is_refused(state, knob, queue):
    SaleQueue.objects.update(state=state)

    with pytest.raises(CommandError, match="This can't be changed while the queue is"):
        run("queue_set", queue.pk, knob)

    assert not QueueChange.objects.exists()


def test_the_opening_can_be_moved_while_the_lobby_is_open(queue, now):
    SaleQueue.objects.update(state="lobby")
    later = now + timedelta(hours=5)

    run("queue_set", queue.pk, f"opens_at={later.isoformat()}")

    assert SaleQueue.objects.get().opens_at == later


# -- queue_kick -----------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_somebody_is_moved_out_blocked_and_let_in_again(open_queue, fan, now):
    services.join(event_id=open_queue.pk, person=str(fan.pk), now=now)

    assert "was moved out" in run("queue_kick", open_queue.pk, fan.email)[0]
    run("queue_kick", open_queue.pk, fan.email, block="a robot")
    with pytest.raises(errors.Blocked, match="a robot"):
        services.join(event_id=open_queue.pk, person=str(fan.pk), now=now)
    run("queue_kick", open_queue.pk, fan.email, unblock=True)

    assert services.join(event_id=open_queue.pk, person=str(fan.pk), now=now).number == 2
    steps = QueueChange.objects.filter(what=f"person {fan.pk}").order_by("id")
    assert [step.after for step in steps] == ["left", "blocked", "unblocked"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "This person is not in the line"),
        ({"block": " "}, "why: Say why"),
        ({"unblock": True}, "This person is not blocked"),
    ],
)
def test_an_action_that_is_not_possible_says_why(options, words, open_queue, fan):
    with pytest.raises(CommandError, match=words):
        run("queue_kick", open_queue.pk, fan.email, **options)

    assert not QueueChange.objects.filter(what=f"person {fan.pk}").exists()


def test_an_unknown_address_says_so(open_queue):
    with pytest.raises(CommandError, match="Nobody here has this e-mail address"):
        run("queue_kick", open_queue.pk, "nobody@example.com")


def test_without_redis_nobody_is_moved(open_queue, fan):
    with no_queue_redis(), pytest.raises(CommandError, match="briefly unavailable"):
        run("queue_kick", open_queue.pk, fan.email)

    assert not QueueChange.objects.filter(what=f"person {fan.pk}").exists()


# -- queue_rebuild --------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_a_line_that_redis_lost_is_rebuilt(open_queue, now):
    services.move_queue(event_id=open_queue.pk, to="paused", by=None, now=now)
    services.join(event_id=open_queue.pk, person="4", now=now)
    services.drain_journals()
    redis.queue_client().flushdb()

    out, _ = run("queue_rebuild", open_queue.pk)

    assert "rebuilt, 1 people" in out
    assert store.run(store.peek(open_queue.pk, "4", now)).number == 1


def test_a_queue_that_has_not_started_is_not_rebuilt(queue):
    with pytest.raises(CommandError, match="has not started"):
        run("queue_rebuild", queue.pk)
