"""Standby lists with many at work at the same moment: with the locks, and without."""

from contextlib import contextmanager
from datetime import timedelta
from threading import Event as Flag

import pytest
from django.db import IntegrityError, connection

from reservations import selectors, services
from reservations.models import Reservation, ReservedSeat, ReturnedSeat, StandbyEntry, StandbyList
from reservations.services import standby_entries, standby_offers
from tests.making import make_event, make_plan, make_user
from tests.race import together, wait_unless_blocking
from tests.reservations.acting import hold
from tests.reservations.standby.acting import all_sold, joined, refunded, states_of
from tests.waiting import PATIENCE
from ticketing.events.models import Event, Seat

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.soak]
WORKERS = 4


@pytest.fixture
def event(now):
    plan = make_plan(rows=1, seats_per_row=6)
    return make_event(now, plan=plan, returns="standby", offer_seconds=600)


@pytest.fixture
def orders(event, now):
    return all_sold(event, now)


def offers():
    return list(StandbyEntry.objects.filter(state="offered").order_by("pk"))


def all_at_once(work, count, here):
    """Everybody goes on from here when everybody is here; who is kept away by a lock is not waited
    for, nor who is done."""

    def wrapped(*args, **kwargs):
        found = work(*args, **kwargs)
        here.append(found)
        wait_unless_blocking(lambda: len(here) >= count)
        return found

    return wrapped


def test_many_workers_offer_each_seat_once_and_in_order(event, orders, now):
    entries = [joined(event, now) for _ in range(6)]
    refunded(now, *orders[:4])

    results = together(WORKERS, lambda _: services.process_returned_seats(now=now))
    # Who finds the list locked leaves the rest to the next run.
    results.append(services.process_returned_seats(now=now))

    assert sum(results) == 4
    assert offers() == entries[:4]
    assert ReservedSeat.objects.filter(live=True, reservation__offer__in=entries).count() == 4
    assert not ReturnedSeat.objects.exists()


def test_one_seat_that_many_workers_see_is_offered_to_the_first(event, orders, now, monkeypatch):
    first, second = joined(event, now), joined(event, now)
    refunded(now, orders[0])
    here = []
    wait = all_at_once(standby_offers._is_within_limit, 2, here)
    monkeypatch.setattr(standby_offers, "_is_within_limit", wait)

    def offer(_):
        try:
            return services.offer_next(event_id=event.pk, now=now)
        finally:
            here.append("done")

    results = together(2, offer)

    assert sorted(type(result).__name__ for result in results) == ["NoneType", "Reservation"]
    assert states_of(first, second) == ["offered", "waiting"]


def test_control_without_the_locks_only_the_constraint_stops_them(event, orders, now, monkeypatch):
    joined(event, now)
    refunded(now, orders[0])
    one = {"pk": event.pk}
    monkeypatch.setattr(
        standby_offers, "standby_list_for_update", lambda _: StandbyList.objects.get(**one)
    )
    monkeypatch.setattr(
        standby_offers, "standby_entry_for_update", lambda **it: StandbyEntry.objects.get(**it)
    )
    monkeypatch.setattr(standby_offers, "returned_seats_for_update", lambda _, seats: seats)
    monkeypatch.setattr(standby_offers, "lock_person_limit", lambda **_: None)
    monkeypatch.setattr(
        standby_offers, "_is_within_limit", all_at_once(standby_offers._is_within_limit, 2, [])
    )

    results = together(2, lambda _: services.offer_next(event_id=event.pk, now=now))

    assert {type(result) for result in results} == {Reservation, IntegrityError}
    assert "one_live_reservation_per_seat" in str(results)


def offered_while_the_policy_is_turned_off(event, orders, now, monkeypatch):
    """A seat is being offered when all that came back are to be freed: the seat, and its owners."""
    entry = joined(event, now)
    refunded(now, orders[0])
    seat = orders[0].seats.get().seat_id
    offered, freed, write = Flag(), Flag(), standby_offers._mark_offered

    def slowly(*args):
        write(*args)
        offered.set()
        wait_unless_blocking(freed.is_set)

    monkeypatch.setattr(standby_offers, "_mark_offered", slowly)

    def free():
        offered.wait(PATIENCE)
        Event.objects.filter(pk=event.pk).update(returns="at_once")
        services.release_returned(event_id=event.pk, now=now)
        freed.set()

    together(2, lambda n: (lambda: services.offer_next(event_id=event.pk, now=now), free)[n]())
    owners = ReservedSeat.objects.filter(seat=seat, live=True, reservation__fan=entry.fan_id)
    return Seat.objects.get(pk=seat).state, owners.count()


def test_a_seat_that_is_being_offered_is_not_freed(event, orders, now, monkeypatch):
    outcome = offered_while_the_policy_is_turned_off(event, orders, now, monkeypatch)

    assert outcome == ("held", 1)


def test_control_without_the_lists_lock_alone_it_is_on_sale_and_somebodys(
    event, orders, now, monkeypatch
):
    """The seats' own locks are there: who waited for one does not look again who has it."""
    monkeypatch.setattr(
        standby_offers, "standby_list_for_update", lambda pk: StandbyList.objects.get(pk=pk)
    )

    outcome = offered_while_the_policy_is_turned_off(event, orders, now, monkeypatch)

    assert outcome == ("available", 1)


def test_an_order_given_back_while_others_work_is_offered_in_order_too(event, orders, now):
    entries = [joined(event, now) for _ in range(6)]

    def work(number):
        if number < 4:
            return refunded(now, orders[number])
        return services.process_returned_seats(now=now)

    together(6, work)
    services.process_returned_seats(now=now)

    assert offers() == entries[:4]


def test_offers_that_end_together_are_written_down_once(event, orders, now):
    entry, other = joined(event, now), joined(event, now)
    refunded(now, orders[0])
    services.process_returned_seats(now=now)
    late = now + timedelta(seconds=600)
    services.expire_holds(now=late)

    together(WORKERS, lambda _: services.process_returned_seats(now=late))

    assert states_of(entry, other) == ["missed", "offered"]
    assert list(entry.changes.filter(after="missed").values_list("before")) == [("offered",)]


# -- one place a person ---------------------------------------------------------------------------


def many_tabs(event, now, monkeypatch):
    fan = make_user(password=None)
    wait = all_at_once(standby_entries._turn_number, WORKERS, [])
    monkeypatch.setattr(standby_entries, "_turn_number", wait)
    together(WORKERS, lambda _: joined(event, now, fan=fan))
    return StandbyEntry.objects.filter(fan=fan).count()


def test_many_tabs_of_one_person_are_one_place(event, orders, now, monkeypatch):
    StandbyList.objects.create(event=event, sold_out_at=now)

    assert many_tabs(event, now, monkeypatch) == 1


def test_control_without_the_constraint_they_are_many(event, orders, now, monkeypatch):
    StandbyList.objects.create(event=event, sold_out_at=now)

    with without_index("one_place_on_a_standby_list"):
        assert many_tabs(event, now, monkeypatch) == WORKERS


@contextmanager
def without_index(name):
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexdef FROM pg_indexes WHERE indexname = %s", [name])
        (create,) = cursor.fetchone()
        cursor.execute(f"DROP INDEX {name}")
        try:
            yield
        finally:
            cursor.execute("SET session_replication_role = replica")
            cursor.execute("DELETE FROM reservations_standbychange")
            cursor.execute("DELETE FROM reservations_standbyentry")
            cursor.execute("SET session_replication_role = DEFAULT")
            cursor.execute(create)


def test_who_leaves_while_seats_are_offered_has_none_or_gave_them_back(event, orders, now):
    first, second = joined(event, now), joined(event, now)
    refunded(now, orders[0])

    def work(number):
        if number:
            return services.offer_next(event_id=event.pk, now=now)
        return services.leave_standby(event_id=event.pk, fan_id=first.fan_id, now=now)

    together(2, work)
    services.process_returned_seats(now=now)

    assert states_of(first, second) == ["left", "offered"]
    assert selectors.live_holds(event_id=event.pk, fan_id=first.fan_id, now=now) == []


# -- the limit ------------------------------------------------------------------------------------


def hold_and_offer(event, orders, now, monkeypatch):
    """One seat a person: a hold on open sale, and an offer, at the same moment."""
    Event.objects.filter(pk=event.pk).update(seats_per_person=1)
    entry = joined(event, now)
    refunded(now, orders[0], orders[5])
    free = orders[5].seats.get().seat_id
    ReturnedSeat.objects.filter(pk=free).delete()
    Seat.objects.filter(pk=free).update(state="available")
    services.rebuild_gate(event_id=event.pk, now=now)
    services.update_sold_out(now=now)  # on sale again
    counted, done, may_have = Flag(), Flag(), standby_offers._is_within_limit

    def slowly(*args):
        """What was counted is acted upon once the hold is through, if it can be."""
        found = may_have(*args)
        counted.set()
        wait_unless_blocking(done.is_set)
        return found

    monkeypatch.setattr(standby_offers, "_is_within_limit", slowly)

    def work(number):
        if number:
            return services.offer_next(event_id=event.pk, now=now)
        counted.wait(PATIENCE)
        try:
            return hold(event, entry.fan, now, free)
        finally:
            done.set()

    together(2, work)
    return ReservedSeat.objects.filter(live=True, reservation__fan=entry.fan_id).count()


def test_a_hold_and_an_offer_together_stay_within_the_limit(event, orders, now, monkeypatch):
    assert hold_and_offer(event, orders, now, monkeypatch) == 1


def test_control_without_the_persons_lock_they_beat_it(event, orders, now, monkeypatch):
    monkeypatch.setattr(standby_offers, "lock_person_limit", lambda **_: None)

    assert hold_and_offer(event, orders, now, monkeypatch) == 2
