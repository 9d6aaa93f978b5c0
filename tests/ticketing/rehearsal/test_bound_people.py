"""People of a rehearsal are bound to its event: nothing of a real one is there for them."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from reservations import services as reservations
from reservations.models import Reservation, StandbyEntry, TransferOffer
from tests.making import make_event, make_user, seat_ids
from tests.reservations.acting import hold
from tests.reservations.tickets.conftest import buy
from tests.ticketing.rehearsal.sale_fixtures import OPTIONS
from ticketing.accounts.models import User
from ticketing.core.errors import NotFound
from ticketing.events.models import Event
from ticketing.events.selectors import new_rehearsal_id, require_own_sale
from ticketing.rehearsal import services
from waiting_queue import services as queues
from waiting_queue.models import SaleQueue

pytestmark = pytest.mark.django_db


@pytest.fixture
def rehearsal(sale, operator, now):
    return services.start_rehearsal(event_id=sale.pk, options=OPTIONS, by=operator, now=now)


@pytest.fixture
def person(rehearsal, now):
    return services.make_people(code=rehearsal.code, numbers=range(3), now=now)[1]


def join(event, person_id, now):
    SaleQueue.objects.create(event=event, opens_at=now)
    queues.move_queue(event_id=event.pk, to=SaleQueue.State.OPEN, by=None, now=now)
    queues.tick_open_queues(now=now)
    queues.join(event_id=event.pk, person=str(person_id), now=now)


def hold_seat(event, person_id, now):
    hold(event, User.objects.get(pk=person_id), now, seat_ids(event)[0])


def request_seat(event, person_id, now):
    whose = {"event_id": event.pk, "fan_id": person_id, "now": now, "key": "x"}
    reservations.request_hold(seat_ids=seat_ids(event)[:1], **whose)


def hold_or_request(event, person_id, now):
    choice = reservations.SeatChoice.named(seat_ids(event)[:1])
    reservations.hold_or_request(event_id=event.pk, choice=choice, fan_id=person_id, now=now)


def join_standby(event, person_id, now):
    Event.objects.filter(pk=event.pk).update(state="sold_out", returns="standby")
    reservations.join_standby(event_id=event.pk, fan_id=person_id, quantity=1, now=now)


def accept_ticket(event, person_id, now):
    sold = buy(event, make_user(password=None), now, *seat_ids(event)[:1])
    offer = TransferOffer.objects.create(
        ticket=sold.tickets.get(), email=User.objects.get(pk=person_id).email, created_at=now
    )
    reservations.accept_offer(code=offer.code, fan_id=person_id, now=now)


WAYS = [join, hold_seat, request_seat, hold_or_request, join_standby, accept_ticket]


@pytest.mark.parametrize("take", WAYS)
def test_no_service_gives_them_anything_of_a_real_event(take, person, now):
    with pytest.raises(NotFound):
        take(make_event(now), person.id, now)


@pytest.mark.parametrize("take", WAYS[:4])
def test_control_others_get_it(take, now):
    take(make_event(now), make_user(password=None).pk, now)


def test_a_hold_over_http_finds_no_event(person, now):
    event, client = make_event(now), Client(headers={"origin": "http://testserver"})
    client.cookies["sessionid"] = person.session

    answer = client.post(
        f"/api/v1/events/{event.pk}/reservations/",
        {"seats": seat_ids(event)[:1]},
        content_type="application/json",
    )

    assert answer.status_code == 404
    assert not event.reservations.exists()


def test_the_database_has_the_last_word(person, event, now):
    whose = {"event": event, "fan_id": person.id, "created_at": now}
    until = {"deadline": now + timedelta(hours=1), "total": 0, "currency": "KRW"}
    rows = [Reservation(**whose, **until), StandbyEntry(**whose, quantity=1)]

    for row in rows:
        with pytest.raises(IntegrityError), transaction.atomic():
            row.save()


def test_control_of_their_own_event_they_have_rows(person, rehearsal, now):
    whose = {"event_id": rehearsal.copy, "fan_id": person.id, "created_at": now}
    until = {"deadline": now + timedelta(hours=1), "total": 0, "currency": "KRW"}

    Reservation.objects.create(**whose, **until)


def test_people_of_another_rehearsal_are_others():
    mine, other = new_rehearsal_id(), new_rehearsal_id()

    require_own_sale(event_id=mine, person_id=mine + 100_000)
    with pytest.raises(NotFound):
        require_own_sale(event_id=other, person_id=mine + 1)


def test_clean_up_leaves_nobody_whatever_they_are_called(person, rehearsal, now):
    """An address that was changed on the profile's page no longer names the rehearsal."""
    User.objects.filter(pk=person.id).update(email="somebody@example.com", display_name="Else")

    left = services.clean_up_rehearsal(code=rehearsal.code, now=now)

    assert {name: count for name, count in left.items() if count} == {}
    assert not User.objects.filter(pk__gte=rehearsal.copy).exists()
