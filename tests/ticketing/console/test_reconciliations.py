"""The reconciliation page: a comparison by the worker, its progress, and the buttons that mend."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.timezone import localdate

from payments import services as payments
from payments.models import Payment
from payments.services import reconciliation as payment_reconciliation
from reservations.models import Reservation
from tests.making import make_event, make_user
from tests.race import together
from ticketing.console import services, tasks
from ticketing.console.models import Reconciliation

pytestmark = pytest.mark.django_db
MANY = 8


def make_payment(event, now, **fields):
    """One that is being charged, and that nobody has looked at for an hour."""
    fan = make_user(password=None)
    order = Reservation.objects.create(
        event=event,
        fan=fan,
        created_at=now,
        deadline=now + timedelta(minutes=5),
        total=1,
        currency="KRW",
    )
    forgotten = {"state": "charging", "due_at": now - timedelta(hours=1)}
    return Payment.objects.create(
        reservation=order,
        fan=fan,
        payment_key=uuid4(),
        amount=1,
        currency="KRW",
        created_at=now,
        **forgotten | fields,
    )


@pytest.fixture
def payment(sale, now, settings):
    settings.PORTONE_API_SECRET = ""  # the gateway need not be asked
    return make_payment(sale.event, now)


@pytest.fixture
def client(person_of):
    logged_in = Client(headers={"accept-language": "en"})
    logged_in.force_login(person_of("finance"))
    return logged_in


def page_of(day):
    return reverse("console:reconciliation", args=[day.isoformat()])


def test_a_comparison_is_left_to_the_worker_once(payment, client, now, monkeypatch):
    sent, day = [], localdate(now)
    monkeypatch.setattr(tasks.reconcile_day, "delay", sent.append)
    form = {"day": day.isoformat()}

    answers = [client.post(reverse("console:reconciliations"), form) for _ in range(2)]

    assert [answer.url for answer in answers] == [page_of(day)] * 2
    assert sent == [day.isoformat()]
    assert "begins in a moment" in client.get(page_of(day)).content.decode()


def test_the_worker_shows_its_progress_and_stores_the_differences(payment, operator, now):
    day, seen = localdate(now), []
    services.request_reconciliation(day=day, by=operator, now=now)

    services.reconcile_day(day=day, now=now)

    found = Reconciliation.objects.get()
    seen.append((found.compared, found.total))
    assert seen == [(1, 1)]
    assert not found.is_running(now)
    assert [number for number, *_ in found.differences] == [payment.number]


def test_a_comparison_that_was_lost_may_be_asked_for_again(operator, now):
    ask = {"day": localdate(now), "by": operator}
    assert services.request_reconciliation(now=now, **ask)
    assert not services.request_reconciliation(now=now + timedelta(minutes=1), **ask)
    assert services.request_reconciliation(now=now + timedelta(minutes=3), **ask)


@pytest.mark.parametrize("day", ["x", "2026-02-30", "1900-01-01"])
def test_a_day_that_was_not_compared_is_not_found(client, db, day):
    assert client.get(f"/admin/console/reconciliations/{day}/").status_code == 404


def test_a_difference_has_its_links_and_a_button_that_mends(payment, client, now):
    services.reconcile_day(day=localdate(now), now=now)

    page = client.get(page_of(localdate(now))).content.decode()
    mend = reverse("console:mend", args=[localdate(now).isoformat(), payment.number])
    answers = [client.post(mend) for _ in range(2)]

    order = reverse("admin:reservations_reservation_change", args=[payment.reservation_id])
    links = (reverse("admin:payments_payment_change", args=[payment.pk]), order, mend)
    assert all(link in page for link in links)
    assert [answer.status_code for answer in answers] == [302, 302]
    step = payment.steps.get()
    assert (step.note, step.by) == ("checked by an operator", answers[0].wsgi_request.user)
    payment.refresh_from_db()
    assert payment.due_at > now - timedelta(minutes=1)


def test_only_what_differs_can_be_mended(payment, sale, client, now):
    services.reconcile_day(day=localdate(now), now=now)
    other = make_payment(sale.event, now)

    mend = reverse("console:mend", args=[localdate(now).isoformat(), other.number])

    assert client.post(mend).status_code == 404


# -- races -----------------------------------------------------------------------------------------


def mend_together(now):
    payment = make_payment(make_event(now), now)
    done = together(MANY, lambda _: payments.mend_payment(number=payment.number, by=None, now=now))
    return sum(done), payment.steps.count()


@pytest.mark.django_db(transaction=True)
def test_a_button_pressed_many_times_mends_once(now):
    assert mend_together(now) == (1, 1)


@pytest.mark.django_db(transaction=True)
def test_control_without_looking_at_the_due_time_it_mends_each_time(now, monkeypatch):
    monkeypatch.setattr(payment_reconciliation, "FORGOTTEN", timedelta(seconds=-1))

    assert mend_together(now) == (MANY, MANY)


@pytest.mark.django_db(transaction=True)
def test_of_many_who_ask_for_a_comparison_one_starts_it(now):
    by, day = make_user(), localdate(now)

    claimed = together(MANY, lambda _: services.request_reconciliation(day=day, by=by, now=now))

    assert sum(claimed) == 1


@pytest.mark.django_db(transaction=True)
def test_control_each_day_has_a_comparison_of_its_own(now):
    by, day = make_user(), localdate(now)

    claimed = together(
        MANY,
        lambda n: services.request_reconciliation(day=day - timedelta(days=n), by=by, now=now),
    )

    assert sum(claimed) == MANY
