"""Seats that come back go to the next on the list, in order, with a time of their own."""

from datetime import timedelta

import pytest

from payments.models import OutboxMessage
from reservations import errors, services
from reservations.models import Reservation, ReturnedSeat, StandbyChange, StandbyEntry
from reservations.selectors import standby
from reservations.services.releases import release_abandoned_holds
from tests.making import make_event, make_plan, seat_ids
from tests.reservations.acting import hold, shut_seats, states
from tests.reservations.standby.acting import (
    all_sold,
    joined,
    kept,
    offered_seats,
    refunded,
    states_of,
)
from ticketing.core import redis
from ticketing.core.errors import IllegalMove, InvalidInput
from ticketing.events.models import Event
from waiting_queue import keys
from waiting_queue.models import QueueJournal

pytestmark = pytest.mark.django_db(transaction=True)
OFFER = timedelta(seconds=600)


def bring_back(now):
    return services.process_returned_seats(now=now)


def test_the_first_is_offered_the_seat_and_the_second_waits(event, orders, now):
    first, second = joined(event, now), joined(event, now)
    refunded(now, orders[3])

    assert bring_back(now) == 1

    assert states_of(first, second) == ["offered", "waiting"]
    assert offered_seats(first) == seat_ids(event)[3:4]
    offer = Reservation.objects.get(offer=first)
    assert (offer.state, offer.deadline, offer.total) == ("held", now + OFFER, 154_000)
    assert kept(event) == []
    assert shut_seats(event)[seat_ids(event)[3]] == str(first.fan_id)


def test_doing_it_again_changes_nothing(event, orders, now):
    entry = joined(event, now)
    refunded(now, orders[0])
    bring_back(now)

    assert bring_back(now) == 0

    assert Reservation.objects.filter(fan=entry.fan_id).count() == 1
    assert OutboxMessage.objects.filter(kind="SeatsOffered").count() == 1


def test_an_offer_is_taken_by_paying_without_a_turn_in_the_line(event, orders, now):
    entry = joined(event, now)
    refunded(now, orders[0])
    bring_back(now)
    code = Reservation.objects.get(offer=entry).code

    paid = services.extend_for_payment(code=code, fan_id=entry.fan_id, now=now + OFFER / 2)
    services.confirm(code=code, now=now + OFFER)
    bring_back(now + OFFER)

    assert paid.deadline >= now + OFFER
    assert states_of(entry) == ["taken"]
    assert states(event)[seat_ids(event)[0]] == "sold"


def test_who_pays_late_in_the_offer_has_the_whole_time_to_pay(event, orders, now):
    entry = joined(event, now)
    refunded(now, orders[0])
    bring_back(now)
    code, late = Reservation.objects.get(offer=entry).code, now + OFFER - timedelta(seconds=1)

    paid = services.extend_for_payment(code=code, fan_id=entry.fan_id, now=late)

    assert paid.deadline == late + timedelta(seconds=event.payment_seconds)


def test_a_missed_offer_goes_to_the_next(event, orders, now):
    first, second = joined(event, now), joined(event, now)
    refunded(now, orders[0])
    bring_back(now)
    services.expire_holds(now=now + OFFER)

    bring_back(now + OFFER)

    assert states_of(first, second) == ["missed", "offered"]
    assert offered_seats(second) == seat_ids(event)[:1]
    counted = keys.run_outs(event.pk, "person", str(first.fan_id))
    assert not redis.queue_client().exists(counted)  # nobody asked for an offer


def test_who_missed_it_may_join_again_at_the_end(event, orders, now):
    first, second = joined(event, now), joined(event, now)
    refunded(now, orders[0])
    bring_back(now)
    services.expire_holds(now=now + OFFER)

    again = joined(event, now + OFFER, fan=first.fan)

    assert (again.pk != first.pk, states_of(first)) == (True, ["missed"])
    assert standby.place_of(again) == 2
    assert standby.place_of(second) == 1


def test_an_offer_given_back_goes_to_the_next_too(event, orders, now):
    first, second = joined(event, now), joined(event, now)
    refunded(now, orders[0])
    bring_back(now)

    services.leave_standby(event_id=event.pk, fan_id=first.fan_id, now=now)
    bring_back(now)

    assert states_of(first, second) == ["left", "offered"]


def test_giving_it_back_in_the_basket_is_leaving(event, orders, now):
    first = joined(event, now)
    refunded(now, orders[0])
    bring_back(now)
    code = Reservation.objects.get(offer=first).code
    services.release(event_id=event.pk, code=code, fan_id=first.fan_id, now=now)

    bring_back(now)

    assert states_of(first) == ["left"]


def test_several_seats_are_side_by_side(event, orders, now):
    pair = joined(event, now, quantity=2)
    ids = seat_ids(event)

    refunded(now, orders[0], orders[2], orders[5])
    apart = bring_back(now)
    refunded(now, orders[6])
    bring_back(now)

    assert apart == 0
    assert offered_seats(pair) == ids[5:7]


def test_nobody_gets_what_somebody_earlier_could_have(event, orders, now):
    pair, single = joined(event, now, quantity=2), joined(event, now)
    refunded(now, orders[0], orders[1])

    bring_back(now)

    assert states_of(pair, single) == ["offered", "waiting"]


def test_what_does_not_fit_the_first_goes_to_the_next_whom_it_fits(event, orders, now):
    pair, single = joined(event, now, quantity=2), joined(event, now)
    refunded(now, orders[0])

    bring_back(now)

    assert states_of(pair, single) == ["waiting", "offered"]


def test_a_grade_that_was_asked_for_is_the_grade_that_is_offered(event, orders, now):
    dear, cheap = joined(event, now, grade="R"), joined(event, now, grade="S")
    refunded(now, orders[4])

    bring_back(now)

    assert states_of(dear, cheap) == ["waiting", "offered"]


def test_one_seat_is_taken_from_where_it_breaks_up_least(event, orders, now):
    single, pair = joined(event, now), joined(event, now, quantity=2)
    ids = seat_ids(event)
    refunded(now, orders[0], orders[1], orders[7])

    bring_back(now)

    assert offered_seats(single) == ids[7:]
    assert offered_seats(pair) == ids[:2]


def test_standing_places_are_all_together(now):
    event = make_event(now, plan=make_plan(rows=0, standing=5), returns="standby")
    ids, orders = seat_ids(event), all_sold(event, now)
    pair = joined(event, now, quantity=2)
    refunded(now, orders[0], orders[4])

    bring_back(now)

    assert offered_seats(pair) == [ids[0], ids[4]]


def test_nobody_gets_more_than_a_person_may_have(event, orders, now):
    """They bought elsewhere meanwhile: passed over, and still on the list."""
    Event.objects.filter(pk=event.pk).update(seats_per_person=1)
    first, second = joined(event, now), joined(event, now)
    Reservation.objects.filter(pk=orders[5].pk).update(fan=first.fan)
    refunded(now, orders[0])

    bring_back(now)

    assert states_of(first, second) == ["waiting", "offered"]


def test_a_paused_sale_offers_nothing_and_forgets_nothing(event, orders, now):
    entry = joined(event, now)
    refunded(now, orders[0])
    Event.objects.filter(pk=event.pk).update(state="paused")
    paused = bring_back(now)

    Event.objects.filter(pk=event.pk).update(state="on_sale")

    assert (paused, bring_back(now)) == (0, 1)
    assert states_of(entry) == ["offered"]


def test_an_offer_of_a_cancelled_event_can_not_be_paid(event, orders, now):
    entry = joined(event, now)
    refunded(now, orders[0])
    bring_back(now)
    Event.objects.filter(pk=event.pk).update(state="cancelled")
    code = Reservation.objects.get(offer=entry).code

    with pytest.raises(errors.NotOnSale):
        services.extend_for_payment(code=code, fan_id=entry.fan_id, now=now)
    services.expire_holds(now=now + OFFER)
    bring_back(now + OFFER)

    assert states_of(entry) == ["missed"]
    assert kept(event) == []


def test_an_offer_lasts_when_the_policy_is_turned_off(event, orders, now):
    entry = joined(event, now)
    refunded(now, orders[0])
    bring_back(now)
    Event.objects.filter(pk=event.pk).update(returns="at_once")
    bring_back(now)

    code = Reservation.objects.get(offer=entry).code
    services.extend_for_payment(code=code, fan_id=entry.fan_id, now=now)

    assert Reservation.objects.get(code=code).state == "paying"


def test_the_offer_is_written_to_in_the_persons_language(event, orders, fan, now):
    wish = {"quantity": 1, "language": "en", "now": now}
    services.join_standby(event_id=event.pk, fan_id=fan.pk, **wish)
    refunded(now, orders[0])
    bring_back(now)

    message = OutboxMessage.objects.get(kind="SeatsOffered")

    assert message.body["fan"] == fan.pk
    assert message.body["language"] == "en"
    assert message.body["link"] == f"/events/{event.pk}/standby/"


def test_a_crash_before_the_commit_leaves_nothing_behind(event, orders, now, monkeypatch):
    entry = joined(event, now)
    refunded(now, orders[0])
    monkeypatch.setattr("reservations.services.standby_offers.publish_held", lambda **_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        bring_back(now)
    half_done = Reservation.objects.filter(fan=entry.fan_id).count()
    messages = OutboxMessage.objects.filter(kind="SeatsOffered").count()
    monkeypatch.undo()

    assert (half_done, messages, states_of(entry)) == (0, 0, ["waiting"])
    assert bring_back(now) == 1
    assert states_of(entry) == ["offered"]


def test_a_seat_that_somebody_has_after_all_is_not_offered(event, orders, now):
    entry = joined(event, now)
    seat = seat_ids(event)[0]
    ReturnedSeat.objects.create(seat_id=seat, event=event, returned_at=now, back_at=now)

    bring_back(now)

    assert (states_of(entry), kept(event)) == (["waiting"], [])
    assert states(event)[seat] == "sold"


# -- the list itself ------------------------------------------------------------------------------


def test_while_there_are_seats_there_is_no_list(event, now):
    with pytest.raises(errors.NotSoldOut):
        joined(event, now)


@pytest.mark.parametrize("change", [{"returns": "at_once"}, {"state": "closed"}])
def test_without_the_policy_or_after_the_end_neither(event, orders, now, change):
    Event.objects.filter(pk=event.pk).update(**change)

    with pytest.raises(errors.StandbyClosed):
        joined(event, now)


def test_a_wish_has_to_make_sense(event, orders, now):
    with pytest.raises(errors.TooManySeats):
        joined(event, now, quantity=event.seats_per_person + 1)
    with pytest.raises(InvalidInput):
        joined(event, now, grade="Z")
    assert not StandbyEntry.objects.exists()


def test_joining_twice_keeps_the_place_and_fewer_is_fine(event, orders, now):
    first = joined(event, now, quantity=3)
    joined(event, now)

    again = joined(event, now, fan=first.fan, quantity=2)

    assert (again.pk, again.quantity, standby.place_of(again)) == (first.pk, 2, 1)
    with pytest.raises(errors.OnlyFewerSeats):
        joined(event, now, fan=first.fan, quantity=3)


def test_who_leaves_and_comes_again_is_last(event, orders, now):
    first, second = joined(event, now), joined(event, now)
    services.leave_standby(event_id=event.pk, fan_id=first.fan_id, now=now)
    services.leave_standby(event_id=event.pk, fan_id=first.fan_id, now=now)

    again = joined(event, now, fan=first.fan)

    assert [standby.place_of(second), standby.place_of(again)] == [1, 2]
    assert states_of(first) == ["left"]


def test_what_is_being_paid_is_not_left(event, orders, now):
    entry = joined(event, now)
    refunded(now, orders[0])
    bring_back(now)
    code = Reservation.objects.get(offer=entry).code
    services.extend_for_payment(code=code, fan_id=entry.fan_id, now=now)

    with pytest.raises(IllegalMove):
        services.leave_standby(event_id=event.pk, fan_id=entry.fan_id, now=now)

    assert states_of(entry) == ["offered"]


def test_an_operator_takes_somebody_off_and_the_offer_with_them(event, orders, operator, now):
    first, second = joined(event, now), joined(event, now)
    refunded(now, orders[0])
    bring_back(now)

    services.remove_from_standby(entry_id=first.pk, by=operator, why="a bot", now=now)
    bring_back(now)

    assert states_of(first, second) == ["left", "offered"]
    last = StandbyChange.objects.filter(entry=first).first()
    assert (last.by, last.why, last.before, last.after) == (operator, "a bot", "offered", "left")


def journalled(event, fan_id, kind, at):
    QueueJournal.objects.create(
        event=event, entry=f"{kind}-1", at=at, person=fan_id, kind=kind, number=1
    )


def test_who_leaves_the_line_keeps_the_offer_and_who_is_blocked_does_not(event, orders, now):
    gone, blocked = joined(event, now), joined(event, now)
    refunded(now, orders[0], orders[1])
    bring_back(now)
    journalled(event, gone.fan_id, "left", now + timedelta(seconds=1))
    journalled(event, blocked.fan_id, "blocked", now + timedelta(seconds=1))

    assert release_abandoned_holds(now=now) == 1
    bring_back(now)

    assert states_of(gone, blocked) == ["offered", "left"]


def test_who_is_blocked_is_off_the_list(event, orders, now):
    entry = joined(event, now)
    journalled(event, entry.fan_id, "blocked", now + timedelta(seconds=1))

    bring_back(now + timedelta(seconds=2))

    assert states_of(entry) == ["left"]


def test_who_holds_seats_as_anybody_else_is_not_on_the_list_for_it(event, now, fan):
    one = seat_ids(event)[0]

    held = hold(event, fan, now, one).reservation

    assert not StandbyEntry.objects.filter(reservation=held).exists()
