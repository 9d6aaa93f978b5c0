"""Holding seats, from the gate to the database and back."""

from datetime import timedelta

import pytest
from django.db import connection

from reservations import errors, gate, locks, services
from reservations.models import Reservation, new_code
from reservations.services import SeatChoice
from tests.making import make_event, make_plan, seat_ids
from tests.reservations.acting import hold, shut_seats, states
from ticketing.core.errors import InvalidInput, NotFound
from ticketing.events.models import Event, Seat

pytestmark = pytest.mark.django_db(transaction=True)
State = Reservation.State


def test_a_hold_has_its_seats_its_price_and_its_deadline(event, fan, now):
    one, two, *rest = seat_ids(event)

    held = hold(event, fan, now, two, one)

    stored = Reservation.objects.get()
    assert held.reservation == stored
    assert (stored.state, stored.fan, stored.event) == (State.HELD, fan, event)
    assert stored.deadline == held.reservation.deadline == now + timedelta(seconds=300)
    assert stored.total == 2 * 154_000
    assert [seat["id"] for seat in held.seats] == [one, two]
    names = {"ko": "R석", "en": "R seat"}
    assert list(held.seats[0].values()) == [one, "A", "1", 1, "R", names, 154_000]
    assert {states(event)[seat] for seat in (one, two)} == {"held"}
    assert {states(event)[seat] for seat in rest} == {"available"}


def test_a_hold_in_a_new_event_does_not_read_its_other_seats(fan, now):
    """Until statistics were gathered, an index by event looks as good as the primary key."""
    event = make_event(now, plan=make_plan(rows=60, seats_per_row=50))
    wanted = locks.SeatChoice.named(seat_ids(event)[:1])
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_clear_relation_stats('public', 'ticketing_seat')")
    connection.close()
    before = seats_read()

    held = locks.hold_seats(
        event_id=event.pk, fan_id=fan.pk, choice=wanted, code=new_code(), key="", now=now
    )

    assert held.status == "held"
    assert seats_read() - before < 10


def seats_read():
    """Rows of seats that were fetched by an index."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute(
            "SELECT idx_tup_fetch FROM pg_stat_user_tables WHERE relname = 'ticketing_seat'"
        )
        return cursor.fetchone()[0]


def test_several_seats_are_all_or_none_and_the_refusal_names_the_taken(event, fan, rival, now):
    one, two, three, *_ = seat_ids(event)
    hold(event, rival, now, two)

    with pytest.raises(errors.SeatsTaken) as refused:
        hold(event, fan, now, one, two, three)

    assert refused.value.details["seats"] == [two]
    assert states(event)[one] == states(event)[three] == "available"
    assert hold(event, fan, now, one, three)


def test_the_database_says_so_too_where_the_gate_knows_nothing(event, fan, rival, now):
    one, two, *_ = seat_ids(event)
    hold(event, rival, now, two)
    gate.rebuild(event.pk, {})

    with pytest.raises(errors.SeatsTaken) as refused:
        hold(event, fan, now, one, two)

    assert refused.value.details["seats"] == [two]
    assert hold(event, fan, now, one)


def test_a_price_is_kept_as_it_was(event, fan, now):
    held = hold(event, fan, now, seat_ids(event)[0])
    event.grades.update(price=1)

    assert Reservation.objects.get().seats.get().price == held.seats[0]["price"] == 154_000


def test_nobody_has_more_than_the_limit_across_orders(event, fan, now):
    *three, four, five, six = seat_ids(event)[:6]
    hold(event, fan, now, *three)

    with pytest.raises(errors.TooManySeats) as refused:
        hold(event, fan, now, four, five)

    assert refused.value.details == {"limit": 4, "left": 1}
    assert "4" in str(refused.value)
    assert hold(event, fan, now, six)


def test_seats_that_were_given_back_do_not_count(event, fan, now):
    seats = seat_ids(event)
    first = hold(event, fan, now, *seats[:4]).reservation
    services.release(event_id=event.pk, code=first.code, fan_id=fan.pk, now=now)

    assert hold(event, fan, now, *seats[4:8])


def test_what_ran_out_is_taken_over_at_once_without_the_task(event, fan, rival, now):
    one, two, *_ = seat_ids(event)
    old = hold(event, rival, now, one, two).reservation
    later = now + timedelta(seconds=300)

    with pytest.raises(errors.SeatsTaken):
        hold(event, fan, later - timedelta(seconds=1), one)
    hold(event, fan, later, one)

    old.refresh_from_db()
    assert old.state == State.EXPIRED
    assert (states(event)[one], states(event)[two]) == ("held", "available")


def test_ones_own_run_out_hold_does_not_count_against_the_limit(event, fan, now):
    seats = seat_ids(event)
    hold(event, fan, now, *seats[:4])

    assert hold(event, fan, now + timedelta(seconds=300), *seats[2:6])


def test_the_same_key_is_the_same_reservation(event, fan, rival, now):
    one, two, *_ = seat_ids(event)
    first = hold(event, fan, now, one, key="again")

    assert hold(event, fan, now, one, key="again").reservation == first.reservation
    assert hold(event, rival, now, two, key="again").reservation != first.reservation
    assert Reservation.objects.count() == 2


@pytest.mark.parametrize("state", sorted(set(Event.State) - {"on_sale", "draft"}))
def test_seats_are_held_only_while_the_event_is_on_sale(event, fan, now, state):
    Event.objects.update(state=state)

    with pytest.raises(errors.NotOnSale):
        hold(event, fan, now, seat_ids(event)[0])


def test_seats_of_elsewhere_are_refused_and_so_is_an_event_that_is_not(event, fan, now):
    other = make_event(now)

    with pytest.raises(InvalidInput):
        hold(event, fan, now, seat_ids(event)[0], seat_ids(other)[0])
    with pytest.raises(NotFound):
        hold(make_event(now, state="draft"), fan, now, seat_ids(other)[0])
    with pytest.raises(NotFound):
        services.hold_seats(event_id=0, choice=SeatChoice.named([1]), fan_id=fan.pk, now=now)
    assert not Reservation.objects.exists()


def test_seats_that_are_held_back_are_taken(event, fan, now):
    one, *_ = seat_ids(event)
    Seat.objects.filter(pk=one).update(state="blocked")

    with pytest.raises(errors.SeatsTaken):
        hold(event, fan, now, one)


def test_a_hold_is_one_round_trip(event, fan, now, django_assert_num_queries):
    one, two, *_ = seat_ids(event)
    hold(event, fan, now, one)

    with django_assert_num_queries(1):
        hold(event, fan, now, two)


TABLES = (
    *("reservations_reservation", "reservations_reservedseat", "reservations_ticket"),
    *("ticketing_event", "ticketing_grade", "ticketing_place", "ticketing_seat"),
)


def whole_table_scans():
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute(
            "SELECT relname, seq_scan FROM pg_stat_user_tables WHERE relname = ANY(%s)",
            [list(TABLES)],
        )
        return dict(cursor.fetchall())


@pytest.mark.parametrize(
    "choice",
    [
        SeatChoice.best(grade="R", quantity=1),
        SeatChoice.standing(section="F", quantity=1),
        None,
    ],
)
def test_plans_made_for_empty_tables_never_read_whole_ones(fan, now, choice):
    event = make_event(now, plan=make_plan(standing=10), seats_per_person=20)
    seats = seat_ids(event)
    connection.close()
    before = whole_table_scans()

    for seat in seats[:8]:
        wish = {"event_id": event.pk, "fan_id": fan.pk, "now": now}
        locks.hold_seats(
            **wish, choice=choice or SeatChoice.named([seat]), code=new_code(), key=f"{seat}"
        )

    assert whole_table_scans() == before
    assert Reservation.objects.count() == 8


def test_losers_cost_no_sql(event, fan, rival, now, django_assert_num_queries):
    one, two, *_ = seat_ids(event)
    hold(event, rival, now, one)
    hold(event, fan, now, two)

    with django_assert_num_queries(0), pytest.raises(errors.SeatsTaken):
        hold(event, fan, now, one)


def test_sold_out_is_said_without_sql(event, fan, rival, now, django_assert_num_queries):
    seats = seat_ids(event)
    Seat.objects.exclude(pk=seats[0]).update(state="sold")
    services.recount_seats(event_id=event.pk)
    hold(event, rival, now, seats[0])
    gate.rebuild(event.pk, {})

    with django_assert_num_queries(0), pytest.raises(errors.SoldOut):
        hold(event, fan, now, seats[1])


def test_what_ran_out_is_taken_over_even_when_nothing_is_left(event, fan, rival, now):
    seats = seat_ids(event)
    Seat.objects.exclude(pk=seats[0]).update(state="sold")
    services.recount_seats(event_id=event.pk)
    hold(event, rival, now, seats[0])

    assert gate.seats_left(event.pk) == 0
    assert hold(event, fan, now + timedelta(seconds=300), seats[0])


def test_after_a_refusal_the_gate_is_open_again(event, fan, rival, now):
    seats = seat_ids(event)
    with pytest.raises(errors.TooManySeats):
        hold(event, fan, now, *seats[:5])

    assert shut_seats(event) == {}
    assert hold(event, rival, now, *seats[:4])
