"""Nobody comes across a rehearsal; those who run it see that it is one."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import translation

from payments.models import OutboxMessage, Payment
from payments.selectors import confirmed_of_day, payments_of_day
from reservations.models import Reservation
from reservations.selectors.check_ins import door_events
from tests.making import make_user
from tests.ticketing.rehearsal.sale_fixtures import OPTIONS
from ticketing.console import services as console
from ticketing.events.models import Event
from ticketing.rehearsal import services
from waiting_queue.models import BlockAppeal, SaleQueue

pytestmark = pytest.mark.django_db


@pytest.fixture
def copy(sale, operator, now):
    begun = services.start_rehearsal(event_id=sale.pk, options=OPTIONS, by=operator, now=now)
    services.move_sale(code=begun.code, to="open", by=operator, now=now)
    return Event.objects.get(pk=begun.copy)


@pytest.fixture
def client(operator):
    logged_in = Client(headers={"accept-language": "en"})
    logged_in.force_login(operator)
    return logged_in


@pytest.mark.parametrize(
    "address",
    ["/", "/?q=Rehearsal", "/?q=Moonlight", "/api/v1/events/", "/api/v1/events/?search=Moon"],
)
def test_no_public_list_shows_it(copy, address):
    answer = Client(headers={"accept-language": "en"}).get(address).content.decode()

    assert str(copy.pk) not in answer
    assert "[Rehearsal]" not in answer


def test_control_lists_show_the_original(copy, sale):
    assert sale.title_en in Client(headers={"accept-language": "en"}).get("/").content.decode()
    assert Client().get("/api/v1/events/").json()["count"] == 1


@pytest.mark.parametrize(
    "address", ["/events/{}/", "/api/v1/events/{}/", "/api/v1/events/{}/seats/"]
)
def test_who_knows_its_number_comes_in(copy, address):
    assert Client().get(address.format(copy.pk)).status_code == 200


def test_the_door_does_not_list_it(copy, sale, now):
    near = {"doors_at": now, "starts_at": now + timedelta(hours=1), "on_sale_at": now}
    Event.objects.update(**near)

    assert door_events(now) == ([sale], [])


@pytest.fixture
def trouble(copy, now):
    """Everything that would call for an operator, if it were real."""
    fan = make_user(password=None)
    reservation = Reservation.objects.create(
        event=copy,
        fan=fan,
        state="confirmed",
        created_at=now,
        deadline=now + timedelta(minutes=5),
        total=1,
        currency="KRW",
    )
    Payment.objects.create(
        reservation=reservation,
        fan=fan,
        payment_key=uuid4(),
        amount=1,
        currency="KRW",
        created_at=now,
        state="charging",
        due_at=now - timedelta(hours=1),
    )
    OutboxMessage.objects.create(
        aggregate="reservation:X",
        sequence=1,
        kind="Refunded",
        body={"event": copy.pk},
        state="dead",
        created_at=now,
        due_at=now,
    )
    BlockAppeal.objects.create(queue_id=copy.pk, person=fan, at=now, words="No.")


def heard(operator, now):
    """Without what is said of the machine."""
    with translation.override("en"):
        told = [it.text for it in console.alerts_for(operator, now=now)]
    return [words for words in told if "disk" not in words and "No sign of life" not in words]


def test_nobody_is_alarmed_by_it(trouble, operator, now):
    assert heard(operator, now + timedelta(minutes=1)) == []


def test_control_the_same_of_a_real_sale_is_alarming(trouble, sale, operator, now):
    Reservation.objects.update(event=sale)
    OutboxMessage.objects.update(body={"event": sale.pk})
    SaleQueue.objects.filter(pk=sale.pk).update(state="open")
    BlockAppeal.objects.update(queue=sale.pk)

    assert len(heard(operator, now + timedelta(minutes=1))) == 4


def test_the_nightly_comparison_leaves_it_out(trouble, sale, now):
    day = now.astimezone().date()
    assert not payments_of_day(day).exists()
    assert not confirmed_of_day(day).exists()

    Reservation.objects.update(event=sale)
    assert payments_of_day(day).count() == confirmed_of_day(day).count() == 1


@pytest.mark.parametrize("name", ["admin:ticketing_event_changelist", "console:overview"])
def test_operators_see_that_it_is_one(copy, client, name):
    assert client.get(reverse(name)).content.decode().count("state-rehearsal") == 1


def test_its_console_says_so_too(copy, sale, client):
    pages = [client.get(reverse("console:event", args=[it.pk])).content for it in (copy, sale)]

    assert [b"state-rehearsal" in page for page in pages] == [True, False]


def test_numbers_tell_rehearsals_apart_by_constraint(copy, sale):
    with pytest.raises(IntegrityError, match="numbers_of_their_own"), transaction.atomic():
        Event.objects.filter(pk=sale.pk).update(rehearsal_of=sale)
    with pytest.raises(IntegrityError, match="numbers_of_their_own"), transaction.atomic():
        Event.objects.filter(pk=copy.pk).update(rehearsal_of=None)
