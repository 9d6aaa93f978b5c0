"""Losers of a seat wait in order; nobody overtakes them, and everybody is told why not."""

from datetime import timedelta

import pytest
from django.db import connection

from reservations import errors, gate, keys, services
from reservations.models import HoldRequest, RequestedSeat, Reservation
from reservations.services import SeatChoice, hold_requests
from reservations.services.holds import reserve_seats
from tests.making import make_user, seat_ids
from tests.race import together
from tests.reservations.acting import hold
from ticketing.core import redis
from ticketing.events.models import Seat
from ticketing.events.services import block_seats

pytestmark = pytest.mark.django_db(transaction=True)
MANY = 30
FEW = 4


@pytest.fixture(autouse=True)
def no_worker(monkeypatch):
    monkeypatch.setattr(hold_requests, "wake_worker", lambda: None)


@pytest.fixture
def seat(event):
    return seat_ids(event)[0]


@pytest.fixture
def crowd():
    return [make_user(password=None) for _ in range(MANY)]


def press(event, fan, now, *seats, key=""):
    """As the seat map does."""
    order = {"event_id": event.pk, "fan_id": fan.pk, "now": now, "key": key}
    return services.hold_or_request(choice=SeatChoice.named(seats), **order)


def begin_attempt(event, fan, now, seat):
    gate.begin_attempt(event.pk, fan.pk, [seat], now)


def end_attempt(event, fan, now, seat):
    order = {"event_id": event.pk, "fan_id": fan.pk, "key": "", "now": now}
    return reserve_seats(choice=SeatChoice.named([seat]), **order).reservation


def forget_who_waits(event):
    redis.client().delete(keys.wanted(event.pk))


def work(now):
    while services.process_hold_requests(now=now):
        pass


def reason(refused):
    (taken,) = refused.value.details["taken"]
    return taken["why"], taken["until"]


# -- why a seat can't be had -----------------------------------------------------------------------


@pytest.mark.parametrize("gate_knows", [True, False])
def test_a_refusal_says_until_when_a_seat_is_held(event, fan, rival, seat, now, gate_knows):
    held = hold(event, rival, now, seat).reservation
    if not gate_knows:
        gate.rebuild(event.pk, {})

    with pytest.raises(errors.SeatsTaken) as refused:
        hold(event, fan, now, seat)

    why, until = reason(refused)
    assert why == "held"
    assert until[:23] == held.deadline.isoformat()[:23]  # the gate counts milliseconds


@pytest.mark.parametrize("gate_knows", [True, False])
def test_a_refusal_says_that_a_seat_is_sold(event, fan, rival, seat, now, gate_knows):
    held = hold(event, rival, now, seat).reservation
    services.extend_for_payment(code=held.code, fan_id=rival.pk, now=now)
    services.confirm(code=held.code, now=now)
    if not gate_knows:
        gate.rebuild(event.pk, {})

    for _ in range(2):  # the second time the gate knows it from the first
        with pytest.raises(errors.SeatsTaken) as refused:
            hold(event, fan, now, seat)
        assert reason(refused) == ("sold", None)
    services.rebuild_gate(event_id=event.pk, now=now)
    with pytest.raises(errors.SeatsTaken) as refused:
        hold(event, fan, now, seat)
    assert reason(refused) == ("sold", None)


def test_a_refusal_says_that_a_seat_is_held_back(event, fan, seat, now):
    block_seats(event_id=event.pk, seat_ids=[seat], by=None, reason="camera", now=now)

    with pytest.raises(errors.SeatsTaken) as refused:
        hold(event, fan, now, seat)

    assert reason(refused) == ("unavailable", None)


def test_a_refusal_says_that_a_seat_is_being_tried(event, fan, rival, seat, now):
    begin_attempt(event, rival, now, seat)

    with pytest.raises(errors.SeatsTaken) as refused:
        hold(event, fan, now, seat)

    assert reason(refused) == ("tried", None)


# -- waiting ---------------------------------------------------------------------------------------


def test_a_free_seat_is_held_at_once(event, fan, seat, now):
    assert press(event, fan, now, seat).reservation.state == "held"
    assert not HoldRequest.objects.exists()


def test_who_presses_while_others_try_waits_and_knows_the_place(event, crowd, seat, now):
    begin_attempt(event, crowd[0], now, seat)

    requests = [press(event, fan, now, seat) for fan in crowd[1:4]]

    assert [(request.state, request.place) for request in requests] == [
        ("pending", 1),
        ("pending", 2),
        ("pending", 3),
    ]
    assert [one.request_id for one in RequestedSeat.objects.all()] == [it.pk for it in requests]


def test_whoever_tried_gets_it_and_those_who_wait_learn_until_when(event, crowd, seat, now):
    begin_attempt(event, crowd[0], now, seat)
    for fan in crowd[1:]:
        press(event, fan, now, seat)
    until = end_attempt(event, crowd[0], now, seat).deadline
    connection.force_debug_cursor = True
    connection.queries_log.clear()

    work(now)

    connection.force_debug_cursor = False
    assert len(connection.queries) < 30  # not so many for each
    taken = {"seat": seat, "why": "held", "until": until.isoformat()}
    for request in HoldRequest.objects.all():
        assert request.refusal["details"] == {"seats": [seat], "taken": [taken]}
    assert not RequestedSeat.objects.exists()


def test_if_the_attempt_fails_the_first_who_waits_gets_it(event, crowd, seat, now):
    begin_attempt(event, crowd[0], now, seat)
    first, *others = [press(event, fan, now, seat) for fan in crowd[1:4]]
    gate.abandon_attempt(event.pk, crowd[0].pk, [seat], now, taken={})

    work(now)

    first.refresh_from_db()
    assert first.reservation.fan == crowd[1]
    for other in others:
        other.refresh_from_db()
        assert other.state == "failed"


def test_held_seats_are_refused_at_once_however_one_asks(event, fan, rival, seat, now):
    hold(event, rival, now, seat)

    with pytest.raises(errors.SeatsTaken):
        press(event, fan, now, seat)
    with pytest.raises(errors.SeatsTaken):
        services.request_hold(event_id=event.pk, seat_ids=[seat], fan_id=fan.pk, now=now)
    assert not HoldRequest.objects.exists()


# -- nobody overtakes ------------------------------------------------------------------------------


def test_a_newcomer_does_not_overtake_those_who_wait(event, fan, rival, seat, now):
    services.request_hold(event_id=event.pk, seat_ids=[seat], fan_id=fan.pk, now=now)

    with pytest.raises(errors.SeatsTaken) as refused:
        hold(event, rival, now, seat)
    assert reason(refused) == ("tried", None)
    assert press(event, rival, now, seat).place == 2
    work(now)

    assert Reservation.objects.get().fan == fan


def test_control_without_the_note_of_who_waits_a_newcomer_overtakes(event, fan, rival, seat, now):
    services.request_hold(event_id=event.pk, seat_ids=[seat], fan_id=fan.pk, now=now)
    forget_who_waits(event)

    hold(event, rival, now, seat)
    work(now)

    assert Reservation.objects.get().fan == rival


def test_without_a_worker_the_seat_can_be_had_after_a_while(event, fan, rival, seat, now):
    services.request_hold(event_id=event.pk, seat_ids=[seat], fan_id=fan.pk, now=now)

    later = now + timedelta(milliseconds=gate.WANTED_MS)

    assert hold(event, rival, later, seat)


def test_once_nobody_waits_any_more_the_seat_can_be_tried_at_once(event, fan, rival, now):
    seats = seat_ids(event)
    hold(event, fan, now, *seats[:4])
    services.request_hold(event_id=event.pk, seat_ids=[seats[5]], fan_id=fan.pk, now=now)
    work(now)  # refused: the limit

    assert hold(event, rival, now, seats[5])


def test_while_another_still_waits_the_seat_is_kept_for_them(event, fan, rival, now):
    seats = seat_ids(event)
    hold(event, fan, now, *seats[:4])
    for who in (fan, rival):
        services.request_hold(event_id=event.pk, seat_ids=[seats[5]], fan_id=who.pk, now=now)
    services.process_hold_requests(now=now)  # only the first: refused, the limit

    with pytest.raises(errors.SeatsTaken):
        hold(event, make_user(password=None), now, seats[5])


# -- retries ---------------------------------------------------------------------------------------


def test_a_press_that_is_sent_again_finds_its_request_and_later_its_seats(
    event, fan, rival, seat, now
):
    begin_attempt(event, rival, now, seat)
    first = press(event, fan, now, seat, key="k")
    assert press(event, fan, now, seat, key="k") == first
    gate.abandon_attempt(event.pk, rival.pk, [seat], now, taken={})
    work(now)

    again = press(event, fan, now, seat, key="k")

    first.refresh_from_db()
    assert again.reservation == first.reservation
    assert Reservation.objects.count() == 1


# -- all at once -----------------------------------------------------------------------------------


@pytest.mark.soak
def test_thirty_press_while_workers_work_and_one_gets_it(event, crowd, seat, now):
    def act(number):
        if number < MANY:
            return press(event, crowd[number], now, seat)
        return work(now)

    results = together(MANY + FEW, act)
    work(now)

    assert Reservation.objects.count() == Seat.objects.filter(state="held").count() == 1
    unexpected = [it for it in results if isinstance(it, Exception)]
    assert {type(it) for it in unexpected} <= {errors.SeatsTaken}
    states = HoldRequest.objects.values_list("state", flat=True)
    assert set(states) <= {"success", "failed"}
    assert not RequestedSeat.objects.exists()
