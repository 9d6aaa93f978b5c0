"""Seats that come back after the sale was sold out: where they are until somebody has them."""

from datetime import timedelta

import pytest

from reservations import errors, gate, services
from reservations.models import Reservation, ReturnedSeat, StandbyList
from tests.making import make_event, make_plan, make_user, seat_ids
from tests.reservations.acting import best, hold, shut_seats, states
from tests.reservations.standby.acting import bought, joined, kept, refunded
from ticketing.events.models import Event, Seat
from ticketing.events.selectors import seats_by_grade

pytestmark = pytest.mark.django_db(transaction=True)


def policy(event, name, **more):
    Event.objects.filter(pk=event.pk).update(returns=name, **more)


def is_free(seat):
    return Seat.objects.get(pk=seat).state == "available"


@pytest.mark.parametrize("way", ["refunded", "released", "expired"])
def test_whichever_way_a_seat_comes_back_it_is_kept(event, now, way):
    first, *rest = seat_ids(event)
    for seat in rest:
        bought(event, make_user(password=None), now, seat)
    StandbyList.objects.create(event=event, sold_out_at=now)  # it was sold out before
    fan = make_user(password=None)
    if way == "refunded":
        refunded(now, bought(event, fan, now, first))
    else:
        code = hold(event, fan, now, first).reservation.code
        if way == "released":
            services.release(event_id=event.pk, code=code, fan_id=fan.pk, now=now)
        else:
            assert services.expire_holds(now=now + timedelta(hours=1)) == 1

    assert kept(event) == [first]
    assert states(event)[first] == "held"
    assert services.inconsistent_seats(event_id=event.pk) == {}


def test_the_last_hold_that_runs_out_is_for_the_line_as_it_never_was_sold_out(event, now):
    first, *rest = seat_ids(event)
    for seat in rest:
        bought(event, make_user(password=None), now, seat)
    hold(event, make_user(password=None), now, first)

    services.expire_holds(now=now + timedelta(hours=1))

    assert (is_free(first), kept(event)) == (True, [])


def test_before_it_is_sold_out_a_seat_is_free_at_once(event, now):
    first, *_ = seat_ids(event)

    refunded(now, bought(event, make_user(password=None), now, first))

    assert is_free(first)
    assert kept(event) == []


def test_with_that_policy_it_is_on_sale_at_once(event, orders, now):
    policy(event, "at_once")

    refunded(now, orders[0])

    assert kept(event) == []
    assert list(states(event).values()).count("available") == 1


def test_nobody_can_have_it_nor_sees_it_as_free(event, orders, fan, now):
    services.recount_seats(event_id=event.pk)
    seat = orders[0].seats.get().seat_id

    refunded(now, orders[0])

    with pytest.raises(errors.SeatsTaken):
        hold(event, fan, now, seat)
    with pytest.raises(errors.SoldOut):
        best(event, fan, now, 1)
    assert gate.seats_left(event.pk) == 0
    assert [(name, seats) for _, name, seats in gate.updates_since(event.pk, "")][-1] == (
        "h",
        [seat],
    )
    assert sum(grade.free for grade in seats_by_grade(event.pk)) == 0


def test_nor_does_the_database_give_it_when_redis_was_lost(event, orders, fan, now):
    refunded(now, orders[0])
    gate.rebuild(event.pk, {})
    policy(event, "standby", state="on_sale")

    with pytest.raises(errors.SeatsTaken):
        hold(event, fan, now, orders[0].seats.get().seat_id)


def test_a_rebuilt_gate_is_shut_for_it(event, orders, now):
    refunded(now, orders[0])
    gate.rebuild(event.pk, {})

    services.rebuild_gate(event_id=event.pk, now=now)

    assert orders[0].seats.get().seat_id in shut_seats(event)


def test_who_tries_a_seat_whose_hold_ran_out_does_not_jump_the_list(event, now, fan, rival):
    first, *rest = seat_ids(event)
    hold(event, fan, now, first)
    for seat in rest:
        bought(event, make_user(password=None), now, seat)
    StandbyList.objects.create(event=event, sold_out_at=now)  # it was sold out before
    later = now + timedelta(hours=1)

    with pytest.raises(errors.SeatsTaken):
        hold(event, rival, later, first)

    assert kept(event) == [first]


# -- back on open sale ----------------------------------------------------------------------------


def test_with_nobody_on_the_list_it_is_on_sale_again(event, orders, fan, now):
    refunded(now, orders[0])

    services.process_returned_seats(now=now)
    services.update_sold_out(now=now)

    assert kept(event) == []
    assert hold(event, fan, now, orders[0].seats.get().seat_id).is_new


def test_at_the_announced_time_and_not_before(event, orders, now):
    then = now + timedelta(hours=2)
    policy(event, "announced", returns_at=then)
    refunded(now, orders[0])
    seat = orders[0].seats.get().seat_id

    services.process_returned_seats(now=then - timedelta(seconds=1))
    before = is_free(seat)
    services.process_returned_seats(now=then)

    assert not before
    assert is_free(seat)


def test_after_the_announced_time_at_once(event, orders, now):
    policy(event, "announced", returns_at=now)

    refunded(now, orders[0])

    assert kept(event) == []


def test_after_a_random_delay_within_the_limit_together_if_bought_together(event, now):
    policy(event, "jittered", returns_minutes=30)
    ids = seat_ids(event)
    orders = [bought(event, make_user(password=None), now, *ids[n : n + 2]) for n in (0, 2, 4, 6)]
    services.update_sold_out(now=now)
    refunded(now, *orders)

    moments = list(ReturnedSeat.objects.order_by("pk").values_list("back_at", flat=True))

    assert moments[::2] == moments[1::2]
    assert len(set(moments)) == 4
    assert all(now <= moment <= now + timedelta(minutes=30) for moment in moments)
    services.process_returned_seats(now=sorted(set(moments))[1])
    assert list(states(event).values()).count("available") == 4
    services.process_returned_seats(now=now + timedelta(minutes=30))
    assert kept(event) == []


@pytest.mark.parametrize(
    "change", [{"returns": "at_once"}, {"state": "closed"}, {"state": "cancelled"}]
)
def test_a_policy_turned_off_or_the_end_of_the_sale_frees_what_was_kept(event, orders, now, change):
    waiting = joined(event, now)
    refunded(now, orders[0])
    Event.objects.filter(pk=event.pk).update(**change)

    services.process_returned_seats(now=now)

    assert kept(event) == []
    waiting.refresh_from_db()
    assert waiting.reservation is None
    assert waiting.state == ("waiting" if "returns" in change else "left")


def test_a_wheelchair_place_is_not_given_away_by_the_list(event, orders, now):
    seat = orders[0].seats.get().seat
    type(seat.place).objects.filter(pk=seat.place_id).update(accessible=True)
    waiting = joined(event, now)
    refunded(now, orders[0])

    services.process_returned_seats(now=now)

    waiting.refresh_from_db()
    assert (waiting.state, is_free(seat.pk)) == ("waiting", True)


def test_what_fits_nobody_waits_for_its_neighbour_for_a_while(event, orders, now):
    pair = joined(event, now, quantity=2)
    refunded(now, orders[0])
    services.process_returned_seats(now=now + timedelta(seconds=599))
    assert kept(event)

    services.process_returned_seats(now=now + timedelta(seconds=601))

    pair.refresh_from_db()
    assert (pair.state, kept(event)) == ("waiting", [])


def test_a_sale_that_is_sold_out_is_noted_once_by_the_clock(event, orders, now):
    services.process_returned_seats(now=now)
    services.process_returned_seats(now=now + timedelta(hours=1))

    assert StandbyList.objects.get().sold_out_at == now


def test_a_sale_with_seats_left_is_not(now):
    make_event(now, plan=make_plan(rows=1), returns="standby")

    services.process_returned_seats(now=now)

    assert not StandbyList.objects.exists()
    assert not Reservation.objects.exists()
