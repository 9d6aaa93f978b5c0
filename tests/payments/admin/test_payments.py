"""Operators: the timeline, asking now, refunds in part, dead letters; permission and audit."""

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from django.utils import translation

from payments import services
from payments.models import OutboxMessage, Payment, Refund
from payments.sandbox import services as sandbox
from payments.sandbox.testing import Behaviour
from payments.selectors.labels import note_label
from tests.making import make_user
from tests.payments.buyers import Buyer, settle_in_background
from ticketing.accounts.sessions import FRESH_AT
from ticketing.events.models import Event

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("paying_site")]
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
def paid(buyer):
    return buyer.buy()


def page(name, *args):
    return reverse(f"admin:payments_{name}", args=args)


@pytest.mark.parametrize(
    "model", ["payment", "refund", "outboxmessage", "webhookreceipt", "refundpolicy"]
)
def test_every_list_opens(desk, paid, model):
    assert desk.get(page(f"{model}_changelist")).status_code == 200


def test_the_list_shows_the_state_of_breaker_and_outbox(desk, paid):
    shown = desk.get(page("payment_changelist")).content.decode()

    assert "The gateway is called." in shown
    assert "1 wait, 0 could not be delivered" in shown


def test_the_list_says_how_far_a_cancelled_event_is_in_paying_back(desk, event, now):
    for number in range(3):
        Buyer(event, make_user(password=None), now, first=2 * number).buy()
    Event.objects.filter(pk=event.pk).update(state=Event.State.CANCELLED)
    services.refund_event_batch(event_id=event.pk, why="storm", by=None, now=now, batch=1)

    shown = desk.get(page("payment_changelist")).content.decode()

    assert "is cancelled: 1 of 3 payments are refunded." in shown


def test_its_page_shows_the_timeline(desk, paid):
    shown = desk.get(page("payment_change", paid.pk)).content.decode()

    assert "being charged → paid" in shown


def test_its_page_says_what_was_noted_in_the_readers_words(desk, paid, buyer, operator):
    services.settle_by_operator(pk=paid.pk, by=operator, now=buyer.now)
    services.refund_payment(
        pk=paid.pk, why="ill, the fan writes", amount=1, by=operator, now=buyer.now
    )
    page_of = page("payment_change", paid.pk)

    shown = desk.get(page_of, headers={"accept-language": "ko"}).content.decode()

    with translation.override("ko"):
        assert f"{Payment.State.CHARGING.label} → {Payment.State.SUCCEEDED.label}" in shown
        assert f"· {note_label('checked by an operator')} {operator}" in shown
    assert "→ succeeded" not in shown
    assert shown.count("ill, the fan writes") == 2


@pytest.mark.parametrize("before", ["refund refused", "the refund was refused"])
def test_a_refused_refund_is_noted_with_the_gateways_words(before):
    with translation.override("en"):
        assert note_label(f"{before}: ERR {{no}}") == "the refund was refused: ERR {no}"
        assert note_label("REJECT_CARD") == "REJECT_CARD"


def test_a_refund_says_why(desk, paid, buyer):
    services.refund_payment(pk=paid.pk, why="cancelled by the fan", now=buyer.now)
    refund = Refund.objects.get()

    for address in (page("refund_changelist"), page("refund_change", refund.pk)):
        assert "cancelled by the fan" in desk.get(address).content.decode()


def test_a_part_goes_back_with_a_reason_and_a_name(desk, paid, operator):
    desk.post(
        page("payment_refund", paid.pk), {"amount": 1000, "frees_seats": "", "reason": "sorry"}
    )
    settle_in_background()

    refund = Refund.objects.get()
    assert (refund.amount, refund.why, refund.by, refund.state) == (
        *(1000, "sorry", operator),
        "done",
    )
    assert paid.steps.filter(by=operator, note="sorry").exists()


def test_a_refund_takes_a_fresh_log_in(desk, paid):
    session = desk.session
    session[FRESH_AT] -= 11 * 60
    session.save()

    address = page("payment_refund", paid.pk)
    asked = [desk.get(address), desk.post(address, {"amount": 1000, "reason": "sorry"})]

    assert all(answer.url.startswith("/accounts/identity/?next=") for answer in asked)
    assert not Refund.objects.exists()


def test_a_refund_without_a_reason_asks_again(desk, paid):
    answer = desk.post(page("payment_refund", paid.pk), {"amount": 1000})

    assert answer.status_code == 200
    assert not Refund.objects.exists()


def test_an_operator_asks_the_gateway_now(desk, buyer, operator):
    buyer.buy(Behaviour.PENDING, seconds=60)
    payment = buyer.payment
    sandbox.settle_charge(payment.number, now=buyer.now + timedelta(minutes=2))

    desk.post(page("payment_resume", payment.pk))

    assert payment.steps.filter(by=operator, note="checked by an operator").exists()
    settle_in_background()
    assert buyer.payment.state == "succeeded"


def test_a_link_asks_nothing(desk, buyer):
    assert desk.get(page("payment_resume", buyer.start().pk)).status_code == 405


def test_a_dead_letter_is_sent_again_and_noted(desk, paid, operator):
    message = OutboxMessage.objects.first()
    OutboxMessage.objects.filter(pk=message.pk).update(state="dead")

    desk.post(page("outboxmessage_revive", message.pk))

    message.refresh_from_db()
    assert message.state == "waiting"
    assert LogEntry.objects.get().user == operator


@pytest.mark.parametrize("name", ["payment_resume", "payment_refund", "outboxmessage_revive"])
def test_a_read_only_operator_changes_nothing(onlooker, paid, name):
    pk = OutboxMessage.objects.first().pk if "outbox" in name else paid.pk

    answer = onlooker.post(page(name, pk), {"amount": 1000, "reason": "x"})

    assert answer.status_code == 403
    assert not Refund.objects.exists()


def test_a_read_only_operator_sees_no_buttons(onlooker, paid):
    shown = onlooker.get(page("payment_change", paid.pk)).content.decode()

    assert page("payment_refund", paid.pk) not in shown
