"""A reservation after the hold: given back, run out, paid for, refunded."""

from datetime import timedelta

import pytest

from reservations import errors, gate, selectors, services
from reservations.models import Reservation, ReservationChange
from tests.making import make_user, seat_ids
from tests.reservations.acting import hold, shut_seats, states
from ticketing.core.errors import IllegalMove
from ticketing.events import store

pytestmark = pytest.mark.django_db(transaction=True)
State = Reservation.State
MINUTE = timedelta(minutes=1)


@pytest.fixture
def seats(event):
    return seat_ids(event)[:2]


@pytest.fixture
def held(event, fan, now, seats):
    services.recount_seats(event_id=event.pk)
    return hold(event, fan, now, *seats).reservation


def release(it, now, **more):
    whose = {"event_id": it.event_id, "code": it.code, "fan_id": it.fan_id} | more
    return services.release(**whose, now=now)


def pay(it, now):
    return services.extend_for_payment(code=it.code, fan_id=it.fan_id, now=now)


def test_seats_that_are_given_back_are_free_at_once(event, held, rival, now, seats):
    assert release(held, now).state == State.RELEASED
    assert {states(event)[seat] for seat in seats} == {"available"}
    assert gate.seats_left(event.pk) == 12
    assert hold(event, rival, now, *seats)


def test_giving_back_twice_is_fine(held, now):
    release(held, now)

    assert release(held, now + MINUTE).ended_at == now


def test_nobody_gives_back_what_is_anothers(event, held, rival, now):
    with pytest.raises(errors.NoReservation):
        release(held, now, fan_id=rival.pk)
    with pytest.raises(errors.NoReservation):
        release(held, now, event_id=0)
    assert release(held, now, code=held.code.lower()).state == State.RELEASED


def test_holds_run_out_at_their_deadline_and_not_before(event, held, now, seats):
    assert services.expire_holds(now=held.deadline - timedelta(milliseconds=1)) == 0
    assert services.expire_holds(now=held.deadline) == 1
    assert services.expire_holds(now=held.deadline) == 0

    held.refresh_from_db()
    assert (held.state, held.ended_at) == (State.EXPIRED, held.deadline)
    assert {states(event)[seat] for seat in seats} == {"available"}
    assert shut_seats(event) == {}
    assert gate.seats_left(event.pk) == 12


def test_many_run_out_in_batches(event, now):
    for seat in seat_ids(event):
        hold(event, make_user(password=None), now, seat)

    assert services.expire_holds(now=now + 5 * MINUTE, batch=5) == 12


def test_payment_gives_more_time_and_is_never_taken_away_by_the_clock(event, held, rival, now):
    paying = pay(held, now + 4 * MINUTE)

    assert paying.deadline == now + 14 * MINUTE
    assert services.expire_holds(now=now + 60 * MINUTE) == 0
    with pytest.raises(errors.SeatsTaken):
        hold(event, rival, now + 60 * MINUTE, seat_ids(event)[0])
    held.refresh_from_db()
    assert held.state == "paying"


def test_time_to_pay_never_goes_beyond_both_times_together(held, now):
    assert pay(held, held.deadline - timedelta(seconds=1)).deadline < now + 15 * MINUTE


def test_a_hold_is_extended_once_however_often_it_is_paid_for(held, now):
    pay(held, now + 4 * MINUTE)
    services.resume_hold(code=held.code, now=now + 13 * MINUTE)

    assert pay(held, now + 13 * MINUTE).deadline == now + 14 * MINUTE


def test_a_hold_that_ran_out_can_not_be_paid(held, now):
    with pytest.raises(errors.HoldExpired):
        pay(held, held.deadline)


def test_starting_to_pay_twice_changes_nothing(held, now):
    first = pay(held, now)

    assert pay(held, now + MINUTE).deadline == first.deadline


def test_what_is_paid_is_sold(event, held, now, seats):
    pay(held, now)

    assert services.confirm(code=held.code, now=now).state == State.CONFIRMED
    assert services.confirm(code=held.code, now=now).state == State.CONFIRMED
    assert {states(event)[seat] for seat in seats} == {"sold"}
    assert gate.seats_left(event.pk) == 10


def test_a_failed_payment_puts_the_seats_back_on_sale(event, held, rival, now, seats):
    pay(held, now)

    services.cancel(code=held.code, now=now)

    assert services.cancel(code=held.code, now=now).state == State.CANCELLED
    assert hold(event, rival, now, *seats)


def test_a_refund_puts_the_seats_back_on_sale(event, held, rival, now, seats):
    pay(held, now)
    services.confirm(code=held.code, now=now)

    services.refund(code=held.code, now=now)

    assert services.refund(code=held.code, now=now).state == State.REFUNDED
    assert hold(event, rival, now, *seats)


@pytest.mark.parametrize("step", ["confirm", "cancel", "refund"])
def test_what_was_given_back_goes_nowhere(held, now, step):
    release(held, now)

    with pytest.raises(IllegalMove):
        getattr(services, step)(code=held.code, now=now)


def test_what_is_being_paid_can_not_be_given_back(held, now):
    pay(held, now)

    with pytest.raises(IllegalMove):
        release(held, now)


def test_an_operator_takes_back_with_a_reason(event, held, operator, now, seats):
    services.release_by_operator(code=held.code, by=operator, why="by phone", now=now)

    change = ReservationChange.objects.get()
    assert (change.by, change.before, change.after) == (operator, "held", "released")
    assert change.why == "by phone"
    assert {states(event)[seat] for seat in seats} == {"available"}


def test_what_happened_is_news_for_the_live_map(event, held, now, seats):
    release(held, now)

    assert [(letter, ids) for _, letter, ids in gate.updates_since(event.pk, "")] == [
        ("h", seats),
        ("a", seats),
    ]
    assert gate.updates_since(event.pk, gate.last_update_id(event.pk)) == []


def test_every_step_makes_copies_of_the_seat_list_stale(event, held, now):
    versions = [store.seats_version(event.pk)]
    release(held, now)
    versions.append(store.seats_version(event.pk))

    assert None not in versions
    assert len(set(versions)) == 2


def test_a_live_basket_is_shown_until_it_runs_out(event, held, fan, now):
    whose = {"event_id": event.pk, "fan_id": fan.pk}

    assert [it.reservation for it in selectors.live_holds(**whose, now=now)] == [held]
    assert selectors.live_holds(**whose, now=held.deadline) == []
