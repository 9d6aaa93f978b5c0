"""Entry numbers of standing tickets: in the order of sale or drawn, called at the door."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection

from reservations import locks, services
from reservations.errors import NoEntryNumbers
from reservations.models import EntryCall, Ticket
from reservations.selectors import tickets_of_order
from reservations.services import entry_numbers
from reservations.tickets.pdf import tickets_pdf
from tests.making import make_event, make_plan, make_user, seat_ids
from tests.race import together, wait_unless_blocking
from tests.reservations.tickets.conftest import buy, make_doorkeeper, scan
from tests.reservations.tickets.test_pdf import printed
from ticketing.events.models import Event, EventChange, Place, Section

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.soak]
FEW = 6


@pytest.fixture
def event(now):
    return make_event(
        now, plan=make_plan(rows=1, standing=20), entry_numbers="sale", seats_per_person=30
    )


@pytest.fixture
def places(event):
    return seat_ids(event)[4:]


def numbers(**which):
    """In the order of sale."""
    tickets = Ticket.objects.filter(**which).order_by("created_at", "id")
    return list(tickets.values_list("entry_number", flat=True))


def assign(now, **more):
    return services.assign_entry_numbers(now=now, **more)


def test_they_follow_the_order_of_sale_and_not_that_of_places(event, fan, rival, places, now):
    buy(event, fan, now, *places[5:7])
    buy(event, rival, now + timedelta(seconds=1), places[0])
    assert assign(now) == 3
    buy(event, fan, now + timedelta(seconds=2), places[3])

    assert assign(now) == 1
    assert assign(now) == 0
    assert numbers() == [1, 2, 3, 4]


def test_seats_and_other_events_have_none(event, fan, now):
    other = make_event(now, plan=make_plan(rows=0, standing=3))
    buy(event, fan, now, seat_ids(event)[0])
    buy(other, fan, now, seat_ids(other)[0])

    assert assign(now) == 0
    assert numbers() == [None, None]


def test_each_section_has_its_own(event, fan, places, now):
    plan = make_plan(rows=0, standing=2)
    second = Section.objects.create(
        plan=plan, code="G", name_ko="나", name_en="Back", kind="standing", order=2
    )
    Place.objects.bulk_create(Place(section=second, grade="F", number=n) for n in (1, 2))
    wide = make_event(now, plan=plan, entry_numbers="sale")
    buy(wide, fan, now, *seat_ids(wide))

    assign(now, event_ids=[wide.pk])

    assert sorted(numbers(event=wide)) == [1, 1, 2, 2]


def test_a_new_code_keeps_the_number_and_a_returned_place_does_not_pass_it_on(
    event, fan, rival, places, now
):
    first, second = (buy(event, fan, now + timedelta(seconds=n), places[n]) for n in range(2))
    assign(now)
    new = services.reissue_ticket(code=first.tickets.get().code, fan_id=fan.pk, now=now)
    services.refund(code=second.code, now=now)
    buy(event, rival, now + timedelta(seconds=3), places[1])

    assign(now)

    assert new.entry_number == 1
    assert numbers(state="valid", reservation__fan=rival) == [3]


def test_drawn_numbers_wait_for_the_end_of_the_sale_and_are_not_in_order(event, fan, places, now):
    Event.objects.update(entry_numbers="drawn")
    for n, place in enumerate(places):
        buy(event, fan, now + timedelta(seconds=n), place)
    assert assign(now) == 0

    Event.objects.update(state="closed")
    assert assign(now) == 20

    assert sorted(numbers()) == list(range(1, 21)) != numbers()
    change = EventChange.objects.get(what="entry_numbers")
    assert (change.after, change.why[:5]) == ("20", "seed ")


def test_anybody_can_check_a_draw(event, fan, places, now):
    Event.objects.update(entry_numbers="drawn", state="on_sale")
    buy(event, fan, now, *places[:8])
    assign(event.doors_at - timedelta(hours=23))

    seed = EventChange.objects.get(what="entry_numbers").why.removeprefix("seed ")
    codes = Ticket.objects.values_list("code", flat=True)
    expected = sorted(codes, key=lambda code: hashlib.sha256(f"{seed}{code}".encode()).digest())
    assert list(codes.order_by("entry_number")) == expected


def test_who_buys_after_the_draw_comes_last(event, fan, rival, places, now):
    Event.objects.update(entry_numbers="drawn", state="on_sale")
    buy(event, fan, now, *places[:5])
    later = event.doors_at - timedelta(hours=5)
    assign(later)
    buy(event, rival, later, places[9])

    assign(later)

    assert numbers(reservation__fan=rival) == [6]
    assert EventChange.objects.filter(what="entry_numbers").count() == 1


def test_many_who_assign_at_once_give_each_number_once(event, fan, places, now):
    buy(event, fan, now, *places[:8])
    together(FEW, lambda _: assign(now))

    assert sorted(numbers()) == list(range(1, 9))


def assign_while_another_does(event, fan, places, now, monkeypatch):
    """Another worker numbers an earlier sale that is committed late, before the first commits."""
    buy(event, fan, now, places[0])
    real, others = locks.assign_entry_numbers, []

    def assign_slowly(**which):
        count = real(**which)
        if not others:
            others.append(None)
            together(1, lambda _: buy(event, fan, now - timedelta(seconds=1), places[1]))
            others.append(threads.submit(lambda: (assign(now), connection.close())))
            wait_unless_blocking(others[1].done)
        return count

    monkeypatch.setattr(locks, "assign_entry_numbers", assign_slowly)
    with ThreadPoolExecutor(1) as threads:
        assign(now)
    return sorted(numbers())


def test_control_without_the_lock_two_tickets_get_the_same_number(
    event, fan, places, now, monkeypatch
):
    monkeypatch.setattr(locks, "lock_entry_numbers", lambda event_id: None)

    assert assign_while_another_does(event, fan, places, now, monkeypatch) == [1, 1]


def test_with_the_lock_the_other_worker_waits(event, fan, places, now, monkeypatch):
    assert assign_while_another_does(event, fan, places, now, monkeypatch) == [1, 2]


def test_the_door_waits_for_a_number_to_be_called(event, fan, places, now):
    order = buy(event, fan, now, *places[:2])
    assign(now)
    door, at = make_doorkeeper(), event.doors_at
    first, second = order.tickets.order_by("entry_number")
    call = {"event_id": event.pk, "section": "F", "by": door, "now": at}
    services.call_numbers(**call, upto=1)

    answers = [scan(event, ticket.code, door, at, asks_first=True) for ticket in (first, second)]
    assert [(it.answer, it.reason) for it in answers] == [("valid", ""), ("not_yet", "not_called")]

    services.call_numbers(**call, upto=50)
    assert scan(event, second.code, door, at, asks_first=True).answer == "valid"
    assert EntryCall.objects.get().upto == 50
    assert EventChange.objects.filter(what="called F").count() == 2


def test_calling_the_same_number_again_changes_nothing(event, places, now):
    first, second = make_doorkeeper(), make_user(password=None)
    call = {"event_id": event.pk, "section": "F", "upto": 5}
    services.call_numbers(**call, by=first, now=now)

    services.call_numbers(**call, by=second, now=now + timedelta(seconds=1))

    assert EntryCall.objects.get().by == first
    assert EventChange.objects.filter(what="called F").count() == 1


def call_twice_at_the_same_moment(event, now, monkeypatch):
    """The second press comes before the first is committed."""
    call = {"event_id": event.pk, "section": "F", "upto": 5, "now": now}
    first, second = make_doorkeeper(), make_user(password=None)
    real, others = entry_numbers.record_change, []

    def record_slowly(**change):
        real(**change)
        if not others:
            press = lambda: (services.call_numbers(**call, by=second), connection.close())  # noqa: E731
            others.append(threads.submit(press))
            wait_unless_blocking(others[0].done)

    monkeypatch.setattr(entry_numbers, "record_change", record_slowly)
    with ThreadPoolExecutor(1) as threads:
        services.call_numbers(**call, by=first)
    others[0].result()
    return EventChange.objects.filter(what="called F").count()


def test_control_without_the_lock_one_call_is_recorded_twice(event, places, now, monkeypatch):
    monkeypatch.setattr(locks, "lock_entry_numbers", lambda event_id: None)

    assert call_twice_at_the_same_moment(event, now, monkeypatch) == 2


def test_with_the_lock_two_presses_at_the_same_moment_are_one_call(event, places, now, monkeypatch):
    assert call_twice_at_the_same_moment(event, now, monkeypatch) == 1


@pytest.mark.parametrize("section", ["A", "nothing"])
def test_only_sections_with_numbers_are_called(event, now, section):
    with pytest.raises(NoEntryNumbers):
        services.call_numbers(
            event_id=event.pk, section=section, upto=1, by=make_user(password=None), now=now
        )


def test_the_number_is_on_the_ticket_in_place_of_that_of_the_place(event, fan, places, now):
    order = buy(event, fan, now, places[4])
    assign(now)

    [lines] = printed(tickets_pdf(tickets_of_order(code=order.code)))

    at = lines.index("입장번호")
    assert lines[at + 1 : at + 4] == ["1", "좌석", "스탠딩 · F석"]
