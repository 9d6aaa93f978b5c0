"""No rehearsal charges anybody where cards are real."""

from uuid import uuid4

import pytest

from payments import services as payments
from payments.errors import PaymentsPaused, RehearsalNotCharged
from payments.models import Payment
from payments.sandbox.selectors import faults
from reservations import services as reservations
from tests.making import seat_ids
from tests.ticketing.rehearsal.sale_fixtures import OPTIONS
from ticketing.accounts.errors import ConsentMissing
from ticketing.accounts.services import add_default_documents
from ticketing.core import redis
from ticketing.events.models import Event, Seat
from ticketing.rehearsal import gateway_ledger, selectors, services
from ticketing.rehearsal.errors import NoSandbox
from ticketing.rehearsal.models import Rehearsal
from waiting_queue.models import SaleQueue

pytestmark = pytest.mark.django_db


@pytest.fixture
def rehearsal(sale, operator, now):
    begun = services.start_rehearsal(event_id=sale.pk, options=OPTIONS, by=operator, now=now)
    services.move_sale(code=begun.code, to="open", by=None, now=now)
    return begun


@pytest.fixture
def pay(fan, now):
    """Hold a seat of an event past its line, and begin to pay."""

    def start(event):
        seat = Seat.objects.filter(pk__in=seat_ids(event), state="available").first()
        SaleQueue.objects.filter(pk=event.pk).update(state="closed", epoch="")
        redis.client().flushdb()
        whose = {"fan_id": fan.pk, "now": now}
        held = reservations.hold_seats(
            event_id=event.pk, choice=reservations.SeatChoice.named([seat.pk]), **whose
        )
        code = held.reservation.code
        token = reservations.payment_token(code=code, **whose)
        key = {"payment_key": uuid4(), "language": "en"}
        return payments.begin_payment(code=code, token=token, **whose, **key)

    return start


@pytest.fixture(params=["production", "another gateway"])
def real_cards(request, settings):
    if request.param == "production":
        settings.PAYMENTS_SANDBOX = False
    else:
        settings.PORTONE_URL = "https://api.portone.io"


def test_paying_is_refused_where_cards_are_real(rehearsal, pay, real_cards):
    with pytest.raises(RehearsalNotCharged):
        pay(Event.objects.get(pk=rehearsal.copy))

    assert not Payment.objects.exists()


def test_control_a_real_event_gets_as_far_as_the_gateway(rehearsal, sale, pay, settings):
    settings.PAYMENTS_SANDBOX, settings.PORTONE_URL = False, "http://127.0.0.1:9"
    Event.objects.filter(pk=sale.pk).update(state="on_sale")

    with pytest.raises(PaymentsPaused):
        pay(Event.objects.get(pk=sale.pk))

    assert Payment.objects.count() == 1


def test_the_runner_is_told_that_nobody_pays(rehearsal, real_cards, now):
    assert selectors.setting(Rehearsal.objects.get(), now)["payments"] is False
    assert services.final_facts(code=rehearsal.code, now=now)["charges"] is None


def test_the_behaviour_of_a_real_gateway_cannot_be_set(rehearsal, real_cards, now):
    with pytest.raises(NoSandbox):
        services.set_gateway_behaviour(code=rehearsal.code, failure_rate=1, latency=0, now=now)


def test_the_clean_up_resets_the_gateway(rehearsal, now, settings):
    assert gateway_ledger.is_sandbox()
    services.set_gateway_behaviour(code=rehearsal.code, failure_rate=1, latency=0.5, now=now)
    assert faults().failure_rate == 1

    services.clean_up_rehearsal(code=rehearsal.code, now=now)

    assert (faults().failure_rate, faults().latency) == (0, 0)


def test_people_of_a_rehearsal_count_as_having_agreed(rehearsal, sale, pay, settings, now):
    add_default_documents(now=now)
    Event.objects.filter(pk=sale.pk).update(state="on_sale")

    with pytest.raises(PaymentsPaused):  # as far as the gateway, which is not there
        pay(Event.objects.get(pk=rehearsal.copy))
    with pytest.raises(ConsentMissing):
        pay(sale)
