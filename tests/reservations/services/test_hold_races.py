"""Many who want the same seats at the same moment: with the locks, and without."""

from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.db import connection

from reservations import errors, gate, services, sql
from reservations.models import Reservation, ReservedSeat
from tests.making import make_event, make_plan, make_user, seat_ids
from tests.race import together, winners
from tests.reservations.acting import best, hold, places, states
from tests.reservations.functions import changed_function
from ticketing.core.errors import IllegalMove

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.soak]
MANY = 30
FEW = 8
# What controls take out of `hold_seats.sql`, or slow down.
NO_LOCK = ("ORDER BY id\n                FOR NO KEY UPDATE", "ORDER BY id")
SLOWLY = ("SELECT id, state\n", "SELECT id, state, pg_sleep(0.3)\n")
NO_PERSON_LOCK = ("SELECT pg_advisory_xact_lock(", "SELECT (")


@pytest.fixture
def crowd():
    return [make_user(password=None) for _ in range(MANY)]


@pytest.fixture
def open_gate(monkeypatch):
    """Nobody is turned away before the database: it has to do all of it by itself."""
    monkeypatch.setattr(gate, "begin_attempt", lambda *_: None)


@contextmanager
def changed_sql(monkeypatch, name, **changes):
    """The control: the same statement, with something taken out of it."""
    text = sql.statement(name)
    for before, after in changes.values():
        assert before in text
        text = text.replace(before, after)
    real = sql.statement
    monkeypatch.setattr(sql, "statement", lambda each: text if each == name else real(each))
    yield


def kinds(results):
    return {type(result) for result in results if isinstance(result, Exception)}


def owners(seat):
    return ReservedSeat.objects.filter(seat=seat, live=True).count()


# -- one seat -------------------------------------------------------------------------------------


def test_one_of_thirty_gets_the_seat(event, crowd, now):
    one, *_ = seat_ids(event)

    results = together(MANY, lambda number: hold(event, crowd[number], now, one))

    assert len(winners(results)) == owners(one) == Reservation.objects.count() == 1
    assert kinds(results) == {errors.SeatsTaken}


def test_one_of_thirty_gets_the_seat_without_the_gate(event, crowd, now, open_gate):
    one, *_ = seat_ids(event)

    results = together(MANY, lambda number: hold(event, crowd[number], now, one))

    assert len(winners(results)) == owners(one) == Reservation.objects.count() == 1
    assert kinds(results) <= {errors.SeatsTaken, errors.SeatsBusy}


def test_control_without_the_lock_only_the_constraint_stops_them(event, crowd, now, open_gate):
    """The lock makes it polite; the unique constraint makes it true."""
    one, *_ = seat_ids(event)

    with changed_function("hold_seats", NO_LOCK, SLOWLY):
        results = together(FEW, lambda number: hold(event, crowd[number], now, one))

    assert len(winners(results)) == owners(one) == 1
    assert any(
        "one_live" in str(result.__cause__)
        for result in results
        if result.__class__ in kinds(results)
    )


def test_control_without_lock_and_constraint_everybody_has_it(
    event, crowd, now, open_gate, unconstrained
):
    one, *_ = seat_ids(event)

    with changed_function("hold_seats", NO_LOCK, SLOWLY):
        results = together(FEW, lambda number: hold(event, crowd[number], now, one))

    assert len(winners(results)) == owners(one) == FEW


@pytest.fixture
def unconstrained(transactional_db):
    name = "one_live_reservation_per_seat"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT indexdef FROM pg_indexes WHERE indexname = '{name}'")
        (definition,) = cursor.fetchone()
        cursor.execute(f"DROP INDEX {name}")
        yield
        cursor.execute("TRUNCATE reservations_reservation CASCADE")
        cursor.execute(definition)


# -- several seats --------------------------------------------------------------------------------


def test_overlapping_wishes_in_any_order_never_deadlock(crowd, now, open_gate):
    event = make_event(now, plan=make_plan(rows=5, seats_per_row=20), seats_per_person=100)
    seats = seat_ids(event)

    results = together(
        FEW, lambda number: hold(event, crowd[number], now, *seats[number:], *seats[:number])
    )

    assert len(winners(results)) == 1
    assert kinds(results) == {errors.SeatsTaken}
    assert set(states(event).values()) == {"held"}


def test_control_locked_in_the_callers_order_they_block_each_other(crowd, now, open_gate):
    event = make_event(now, plan=make_plan(rows=1, seats_per_row=10), seats_per_person=100)
    seats = seat_ids(event)
    changes = [
        (NO_LOCK[0], "ORDER BY id * (hold_seats.fan % 2 * 2 - 1) FOR NO KEY UPDATE"),
        (SLOWLY[0], SLOWLY[1].replace("0.3", "0.05")),
    ]
    pair = [next(fan for fan in crowd if fan.pk % 2 == odd) for odd in (0, 1)]

    with changed_function("hold_seats", *changes):
        results = together(2, lambda number: hold(event, pair[number], now, *seats))

    assert errors.SeatsBusy in kinds(results)


# -- the limit of a person ------------------------------------------------------------------------


def test_many_tabs_of_one_person_can_not_beat_the_limit(event, fan, now):
    seats = seat_ids(event)

    results = together(FEW, lambda number: hold(event, fan, now, seats[number]))

    assert len(winners(results)) == 4 == ReservedSeat.objects.filter(live=True).count()
    assert kinds(results) == {errors.TooManySeats}


def test_control_without_the_persons_lock_tabs_beat_it(event, fan, now):
    seats = seat_ids(event)

    with (
        changed_function("lock_person_limit", NO_PERSON_LOCK),
        changed_function("hold_seats", SLOWLY),
    ):
        results = together(FEW, lambda number: hold(event, fan, now, seats[number]))

    assert len(winners(results)) > 4


def test_people_do_not_wait_for_each_other(crowd, now, django_assert_max_num_queries):
    event = make_event(now, plan=make_plan(rows=3, seats_per_row=10))
    seats = seat_ids(event)

    results = together(MANY, lambda number: hold(event, crowd[number], now, seats[number]))

    assert len(winners(results)) == MANY


def test_seats_that_are_counted_while_they_are_held_are_never_too_few(crowd, now):
    event = make_event(now, plan=make_plan(rows=3, seats_per_row=10))
    seats = seat_ids(event)
    services.recount_seats(event_id=event.pk)

    def act(number):
        if number % 3 == 0:
            return services.recount_seats(event_id=event.pk)
        return hold(event, crowd[number], now, seats[number])

    results = together(MANY, act)

    assert len(winners(results)) == MANY
    left = gate.seats_left(event.pk)
    assert list(states(event).values()).count("available") <= left <= MANY


# -- the best, and places -------------------------------------------------------------------------


def test_everybody_who_asks_for_the_best_gets_other_seats(crowd, now):
    event = make_event(now, plan=make_plan(rows=8, seats_per_row=20))

    results = together(MANY, lambda number: best(event, crowd[number], now, 2))

    given = [seat["id"] for held in winners(results) for seat in held.seats]
    assert len(winners(results)) == MANY
    assert len(set(given)) == 2 * MANY


def test_control_without_skipping_what_others_take_they_collide(crowd, now):
    event = make_event(now, plan=make_plan(rows=8, seats_per_row=20))

    with changed_function("choose_best", ("FOR NO KEY UPDATE SKIP LOCKED\n", "")):
        results = together(MANY, lambda number: best(event, crowd[number], now, 2))

    assert errors.SeatsTaken in kinds(results)


def test_places_are_given_to_as_many_as_there_are(crowd, now):
    event = make_event(now, plan=make_plan(rows=0, standing=40))

    results = together(MANY, lambda number: places(event, crowd[number], now, 2))

    given = [seat["id"] for held in winners(results) for seat in held.seats]
    assert len(winners(results)) == 20
    assert len(set(given)) == 40
    assert kinds(results) == {errors.NotEnoughPlaces}


# -- the clock ------------------------------------------------------------------------------------


def test_many_clocks_end_each_hold_once(event, crowd, now):
    for number, seat in enumerate(seat_ids(event)):
        hold(event, crowd[number], now, seat)
    services.recount_seats(event_id=event.pk)
    later = now + timedelta(seconds=300)

    results = together(FEW, lambda _: services.expire_holds(now=later, batch=3))

    assert sum(results) == 12
    assert set(states(event).values()) == {"available"}
    assert gate.seats_left(event.pk) == 12


def test_control_without_the_lock_clocks_end_a_hold_many_times(event, crowd, now, monkeypatch):
    hold(event, crowd[0], now, seat_ids(event)[0])
    changes = {
        "lock": ("FOR NO KEY UPDATE SKIP LOCKED", ""),
        "slowly": (
            "random() AS delay\n    FROM reservations_reservation",
            "random() AS delay, pg_sleep(0.3)\n    FROM reservations_reservation",
        ),
    }

    with changed_sql(monkeypatch, "expire_holds", **changes):
        results = together(FEW, lambda _: services.expire_holds(now=now + timedelta(seconds=300)))

    assert sum(results) > 1


def test_one_takes_over_what_ran_out(event, crowd, now, open_gate):
    one, *_ = seat_ids(event)
    hold(event, make_user(password=None), now, one)
    later = now + timedelta(seconds=300)

    results = together(FEW, lambda number: hold(event, crowd[number], later, one))

    assert len(winners(results)) == owners(one) == 1
    assert kinds(results) <= {errors.SeatsTaken, errors.SeatsBusy}


@pytest.mark.parametrize("attempt", range(5))
def test_a_hold_is_either_paid_or_over(event, fan, now, attempt):
    held = hold(event, fan, now, seat_ids(event)[0]).reservation
    just_before = held.deadline - timedelta(milliseconds=1)
    acts = [
        lambda: services.extend_for_payment(code=held.code, fan_id=fan.pk, now=just_before),
        lambda: services.expire_holds(now=held.deadline),
        lambda: services.release(event_id=event.pk, code=held.code, fan_id=fan.pk, now=just_before),
    ]

    paid, _, released = together(3, lambda number: acts[number]())

    held.refresh_from_db()
    is_paying = not isinstance(paid, Exception)
    assert (held.state == "paying") == is_paying
    assert (states(event)[seat_ids(event)[0]] == "held") == is_paying
    assert not isinstance(released, Exception) or isinstance(released, IllegalMove) == is_paying
    assert services.inconsistent_seats(event_id=event.pk) == {}


def test_asynchronous_wishes_are_fulfilled_in_order_by_many_workers(event, crowd, now, monkeypatch):
    from reservations.services import hold_requests

    monkeypatch.setattr(hold_requests, "wake_worker", lambda: None)
    seats = seat_ids(event)[:3]
    wishes = [
        services.request_hold(
            event_id=event.pk, seat_ids=[seats[number % 3]], fan_id=crowd[number].pk, now=now
        )
        for number in range(MANY)
    ]

    def work(_):
        while services.process_hold_requests(now=now):
            pass

    together(FEW, work)

    for wish in wishes:
        wish.refresh_from_db()
    assert [wish.state for wish in wishes[:3]] == ["success"] * 3
    assert {wish.state for wish in wishes[3:]} == {"failed"}
