"""The database keeps the promises, whatever the code forgets."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError

from reservations.models import EntryCall, Reservation, ReservedSeat, StandbyEntry
from tests.making import make_user, seat_ids
from ticketing.events.models import Seat

pytestmark = pytest.mark.django_db
State = Reservation.State


def reserve(event, seat, now, *, state=State.HELD, **fields):
    reservation = Reservation.objects.create(
        event=event,
        fan=make_user(password=None),
        state=state,
        created_at=now,
        deadline=now + timedelta(minutes=5),
        total=1,
        currency="KRW",
        **fields,
    )
    ReservedSeat.objects.create(
        reservation=reservation,
        seat_id=seat,
        grade="R",
        price=1,
        live=state in Reservation.LIVE,
    )
    return reservation


@pytest.mark.parametrize("first", Reservation.LIVE)
@pytest.mark.parametrize("second", Reservation.LIVE)
def test_a_seat_has_one_live_reservation(event, now, first, second):
    seat, *_ = seat_ids(event)
    reserve(event, seat, now, state=first)

    with pytest.raises(IntegrityError, match="one_live_reservation_per_seat"):
        reserve(event, seat, now, state=second)


@pytest.mark.parametrize("ended", sorted(set(State) - set(Reservation.LIVE)))
def test_control_a_seat_may_have_any_number_of_ended_ones(event, now, ended):
    seat, *_ = seat_ids(event)
    for _ in range(2):
        reserve(event, seat, now, state=ended)

    assert reserve(event, seat, now).pk


@pytest.mark.parametrize("ended", sorted(set(State) - set(Reservation.LIVE)))
def test_a_seat_is_free_for_another_as_soon_as_its_reservation_ends(event, now, ended):
    """Only the reservation is updated: its seats follow by themselves."""
    seat, *_ = seat_ids(event)
    before = reserve(event, seat, now)

    Reservation.objects.filter(pk=before.pk).update(state=ended)

    assert not before.seats.get().live
    assert reserve(event, seat, now).seats.get().live


def test_an_ended_reservation_can_not_come_back_to_a_seat_that_is_taken(event, now):
    seat, *_ = seat_ids(event)
    before = reserve(event, seat, now, state=State.EXPIRED)
    reserve(event, seat, now)

    with pytest.raises(IntegrityError, match="one_live_reservation_per_seat"):
        Reservation.objects.filter(pk=before.pk).update(state=State.HELD)


@pytest.mark.parametrize(("state", "live"), [(State.HELD, False), (State.RELEASED, True)])
def test_a_seat_can_not_be_live_by_itself(event, now, state, live):
    seat, *_ = seat_ids(event)
    reservation = reserve(event, seat, now, state=state)

    with pytest.raises(IntegrityError, match="a_seat_is_live_with_its_reservation"):
        ReservedSeat.objects.filter(reservation=reservation).update(live=live)


def test_no_other_state_is_ever_written(event, now):
    reservation = reserve(event, seat_ids(event)[0], now)

    with pytest.raises(IntegrityError, match="a_reservation_is_in_a_known_state"):
        Reservation.objects.filter(pk=reservation.pk).update(state="lost")


def test_a_hold_lasts_a_while(event, now):
    reservation = reserve(event, seat_ids(event)[0], now)

    with pytest.raises(IntegrityError, match="a_hold_lasts_a_while"):
        Reservation.objects.filter(pk=reservation.pk).update(deadline=now)


def test_a_key_names_one_reservation_of_a_person(event, now):
    one, two, *_ = seat_ids(event)
    first = reserve(event, one, now, key="k")
    other = reserve(event, two, now, key="k")

    with pytest.raises(IntegrityError, match="one_reservation_per_key"), transaction.atomic():
        Reservation.objects.filter(pk=other.pk).update(fan=first.fan)
    assert Reservation.objects.filter(key="k").count() == 2


def test_a_seat_with_a_history_can_not_be_deleted(event, now):
    reserve(event, seat_ids(event)[0], now)

    with pytest.raises(ProtectedError):
        Seat.objects.filter(event=event).delete()


def test_a_code_names_one_reservation(event, now):
    one, two, *_ = seat_ids(event)
    first, other = reserve(event, one, now), reserve(event, two, now)

    with pytest.raises(IntegrityError, match="one_reservation_per_code"):
        Reservation.objects.filter(pk=other.pk).update(code=first.code)


@pytest.mark.parametrize(
    ("wrong", "constraint"),
    [
        ({"state": "lost"}, "a_standby_place_is_in_a_known_state"),
        ({"quantity": 0}, "a_standby_place_is_for_somebody"),
    ],
)
def test_a_place_on_a_standby_list_makes_sense(event, now, wrong, constraint):
    fan = make_user(password=None)
    StandbyEntry.objects.create(event=event, fan=fan, quantity=1, created_at=now)

    with pytest.raises(IntegrityError, match=constraint):
        StandbyEntry.objects.update(**wrong)


def test_a_seat_is_cancelled_once_per_order(event, now):
    seat, *_ = seat_ids(event)
    order = reserve(event, seat, now, state=State.CONFIRMED)
    cancelled = {"seat_id": seat, "grade": "R", "price": 1, "at": now}
    order.cancelled.create(**cancelled)

    with pytest.raises(IntegrityError, match="a_seat_is_cancelled_once_per_order"):
        order.cancelled.create(**cancelled)


def test_a_section_has_one_call_of_entry_numbers(event, operator, now):
    section = event.plan.sections.first()
    call = {"event": event, "section": section, "upto": 1, "at": now, "by": operator}
    EntryCall.objects.create(**call)

    with pytest.raises(IntegrityError, match="one_call_per_section"):
        EntryCall.objects.create(**call)
