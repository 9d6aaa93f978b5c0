"""Operators: find a reservation, give seats back with a reason, put Redis right."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.core.management import CommandError
from django.test import Client
from django.urls import reverse

from reservations import errors, gate, keys, services
from reservations.models import Reservation, ReservationChange
from tests.making import make_user, seat_ids
from tests.reservations.acting import hold, shut_seats, states
from tests.waiting_queue.commands.calling import run
from ticketing.core import redis
from ticketing.events.models import Seat

pytestmark = pytest.mark.django_db(transaction=True)
BACKEND = "django.contrib.auth.backends.ModelBackend"


def desk_of(user):
    client = Client(headers={"accept-language": "en"})
    client.force_login(user, backend=BACKEND)
    return client


@pytest.fixture
def desk(operator):
    return desk_of(operator)


@pytest.fixture
def onlooker(db):
    user = make_user(is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    return desk_of(user)


@pytest.fixture
def held(event, fan, now):
    return hold(event, fan, now, *seat_ids(event)[:2]).reservation


def page(name, *args):
    return reverse(f"admin:reservations_reservation_{name}", args=args)


@pytest.mark.parametrize("words", ["code", "email"])
def test_a_reservation_is_found_by_code_and_by_person(desk, held, rival, event, now, words):
    hold(event, rival, now, seat_ids(event)[5])
    query = {"code": held.code.lower(), "email": held.fan.email}[words]

    found = desk.get(page("changelist"), {"q": query})

    assert [row.pk for row in found.context["cl"].result_list] == [held.pk]


def test_its_page_shows_seats_and_prices_and_can_not_be_edited(desk, held):
    answer = desk.get(page("change", held.pk))

    assert "A-1-2" in answer.content.decode()
    assert "154,000" in answer.content.decode()
    assert desk.post(page("change", held.pk), {"state": "confirmed"}).status_code == 403


def test_lists_cost_the_same_however_long(desk, event, now, django_assert_max_num_queries):
    for seat in seat_ids(event):
        hold(event, make_user(password=None), now, seat)

    with django_assert_max_num_queries(8):
        desk.get(page("changelist"))


def test_seats_are_given_back_with_a_reason(desk, held, operator, event):
    asked = desk.get(page("release", held.pk))
    refused = desk.post(page("release", held.pk), {"confirmed": "1", "reason": ""})
    assert Reservation.objects.get().state == "held"

    answer = desk.post(page("release", held.pk), {"confirmed": "1", "reason": "by phone"})

    assert "A-1-1" in asked.content.decode()
    assert refused.context["form"].errors
    assert answer.url == page("change", held.pk)
    change = ReservationChange.objects.get()
    assert (change.by, change.why, change.after) == (operator, "by phone", "released")
    assert set(states(event).values()) == {"available"}
    assert "by phone" in desk.get(page("change", held.pk)).content.decode()


def test_who_may_only_look_has_no_button_and_no_way_round_it(onlooker, desk, held):
    assert page("release", held.pk) in desk.get(page("change", held.pk)).content.decode()
    assert page("release", held.pk) not in onlooker.get(page("change", held.pk)).content.decode()
    assert onlooker.post(page("release", held.pk), {"reason": "x"}).status_code == 403
    assert Reservation.objects.get().state == "held"


def test_what_is_being_paid_is_not_given_back(desk, held, now):
    services.extend_for_payment(code=held.code, fan_id=held.fan_id, now=now)

    answer = desk.post(page("release", held.pk), {"confirmed": "1", "reason": "x"})

    assert answer.status_code == 409
    assert not ReservationChange.objects.exists()


def test_other_lists_open(desk, held, operator, now):
    services.release_by_operator(code=held.code, by=operator, why="", now=now)

    for model in ("reservationchange", "holdrequest"):
        address = reverse(f"admin:reservations_{model}_changelist")
        assert desk.get(address).status_code == 200


# -- commands -------------------------------------------------------------------------------------


def test_holds_run_out_by_hand(held, now):
    Reservation.objects.update(created_at=now - timedelta(hours=1), deadline=now)

    assert run("expire_holds") == ("1 holds ran out.\n", "")


def test_a_lost_redis_is_put_right(event, held, rival, now):
    redis.client().flushdb()

    out, _ = run("seats_reconcile")

    assert f"Event {event.pk}: 10 seats free (Redis said unknown), 2 gates shut." in out
    assert gate.seats_left(event.pk) == 10
    assert set(shut_seats(event)) == set(seat_ids(event)[:2])
    with pytest.raises(errors.SeatsTaken):
        gate.begin_attempt(event.pk, rival.pk, seat_ids(event)[:1], now)


def test_a_wrong_count_is_put_right_by_the_clock(event, held):
    redis.client().set(keys.seats_left(event.pk), -3)

    (done,) = services.recount_events_on_sale()

    assert (done.left, done.free, done.stored) == (-3, 10, True)
    assert gate.seats_left(event.pk) == 10


def test_what_is_told_while_it_is_counted_wins(event, fan, now, monkeypatch):
    services.recount_seats(event_id=event.pk)
    one, two, *_ = seat_ids(event)
    real, said = gate.last_update_id, []

    def busy(event_id):
        """Somebody holds a seat between every look and every count."""
        last = real(event_id)
        said.append(last)
        if len(said) <= 2:
            hold(event, fan, now, [one, two][len(said) - 1])
        return last

    monkeypatch.setattr(gate, "last_update_id", busy)

    assert services.recount_seats(event_id=event.pk).free == 10
    assert len(said) == 3
    assert gate.seats_left(event.pk) == 10


def test_a_database_that_contradicts_itself_is_reported(event, held):
    Seat.objects.filter(pk=seat_ids(event)[0]).update(state="available")
    Seat.objects.filter(pk=seat_ids(event)[5]).update(state="sold")

    with pytest.raises(CommandError):
        run("seats_reconcile", event.pk)
    assert services.inconsistent_seats(event_id=event.pk) == {
        ("available", "held"): 1,
        ("sold", ""): 1,
    }
