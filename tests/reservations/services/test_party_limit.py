"""Those who were called together have the limit of one person, however they try."""

from datetime import timedelta

import pytest

from reservations import errors, services
from reservations.models import HoldRequest, Reservation, ReservedSeat
from reservations.services import SeatChoice
from reservations.services.holds import reserve_or_abandon
from tests.making import make_event, make_plan, make_user, seat_ids
from tests.race import together, winners
from tests.reservations.acting import hold
from tests.reservations.functions import changed_function
from waiting_queue import services as queue
from waiting_queue.models import SaleQueue

pytestmark = [pytest.mark.django_db(transaction=True)]
PARTY = 12
SLOWLY = ("SELECT id, state\n", "SELECT id, state, pg_sleep(0.3)\n")
NO_PARTY_LOCK = ("PERFORM lock_person_limit(hold_seats.event, -hold_seats.party);", "")


@pytest.fixture
def members():
    return [make_user(password=None) for _ in range(8)]


def hold_together(event, fan, now, *seats, party=PARTY):
    turn = queue.Turn(party=party)
    return reserve_or_abandon(event.pk, fan.pk, SeatChoice.named(seats), "", now, turn)


def test_the_seats_of_all_members_count(event, members, now):
    seats = seat_ids(event)
    hold_together(event, members[0], now, *seats[:2])
    hold_together(event, members[1], now, seats[2])

    with pytest.raises(errors.TooManySeats) as refused:
        hold_together(event, members[2], now, *seats[3:5])

    assert (refused.value.details["limit"], refused.value.details["left"]) == (4, 1)
    hold_together(event, members[2], now, seats[3])
    assert set(Reservation.objects.values_list("party", flat=True)) == {PARTY}


def test_another_party_and_people_alone_have_limits_of_their_own(event, members, now):
    seats = seat_ids(event)
    hold_together(event, members[0], now, *seats[:4])

    hold_together(event, members[1], now, *seats[4:8], party=13)
    hold(event, members[2], now, *seats[8:11])

    with pytest.raises(errors.TooManySeats):
        hold_together(event, members[3], now, seats[11])


def test_what_a_member_has_from_before_counts_for_them_alone(event, members, now):
    seats = seat_ids(event)
    hold(event, members[0], now, *seats[:3])

    with pytest.raises(errors.TooManySeats):
        hold_together(event, members[0], now, *seats[3:5])
    hold_together(event, members[1], now, *seats[4:8])


def test_a_hold_that_ran_out_does_not_count(event, members, now):
    seats = seat_ids(event)
    hold_together(event, members[0], now, *seats[:4])
    later = Reservation.objects.get().deadline

    held = hold_together(event, members[1], later, *seats[4:8])

    assert held.is_new


def test_members_at_the_same_moment_do_not_beat_the_limit(event, members, now):
    seats = seat_ids(event)

    results = together(8, lambda n: hold_together(event, members[n], now, seats[n]))

    assert len(winners(results)) == 4 == ReservedSeat.objects.filter(live=True).count()
    assert {type(one) for one in results if isinstance(one, Exception)} == {errors.TooManySeats}


def test_control_without_the_lock_of_the_party_they_do(event, members, now):
    seats = seat_ids(event)

    with changed_function("hold_seats", NO_PARTY_LOCK, SLOWLY):
        results = together(8, lambda n: hold_together(event, members[n], now, seats[n]))

    assert len(winners(results)) > 4


def test_the_line_tells_who_was_called_together(members, now):
    event = make_event(now, plan=make_plan(rows=3, seats_per_row=4))
    line = SaleQueue.objects.create(event=event, opens_at=now, stock_factor=1_000)
    queue.move_queue(event_id=line.pk, to="open", by=None, now=now)
    queue.move_queue(event_id=line.pk, to="paused", by=None, now=now)
    leader, companion, *_ = members
    queue.join(event_id=line.pk, person=str(leader.pk), now=now)
    code = queue.invite(event_id=line.pk, person=str(leader.pk), now=now).code
    queue.join_party(event_id=line.pk, person=str(companion.pk), code=code, now=now)
    queue.move_queue(event_id=line.pk, to="open", by=None, now=now)
    at = now + timedelta(seconds=2)
    queue.tick_open_queues(now=at)
    for fan in (leader, companion):
        queue.claim(event_id=line.pk, person=str(fan.pk), now=at)
    seats = seat_ids(event)

    hold(event, leader, at, *seats[:3])
    with pytest.raises(errors.TooManySeats):
        hold(event, companion, at, *seats[3:5])
    request = services.request_hold(
        event_id=event.pk, seat_ids=seats[3:5], fan_id=companion.pk, now=at
    )
    services.process_hold_requests(now=at)

    request = HoldRequest.objects.get(pk=request.pk)
    assert (request.party, request.state) == (1, "failed")
    assert request.refusal["code"] == "too_many_seats"
