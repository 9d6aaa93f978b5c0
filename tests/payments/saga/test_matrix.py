"""Killed before and after every step, whatever the gateway does: money and seats agree."""

from datetime import timedelta

import pytest

from payments import services, store
from payments.errors import PaymentsPaused
from payments.models import Payment
from payments.sandbox import testing, webhooks
from payments.sandbox.testing import Behaviour
from payments.services import deadline
from reservations import services as reservations
from tests.making import make_event, make_plan, make_user
from tests.payments.saga.acting import Buyer, money_and_seats_agree
from tests.payments.saga.killing import MOMENTS, Killer

pytestmark = pytest.mark.django_db(transaction=True)
# The refund's own troubles need a charge that goes back: those have their own test.
# Nothing at all is what somebody does who walks away before the window opens.
BEHAVIOURS = [*(each for each in Behaviour if not each.name.startswith("REFUND")), None]
SECONDS = 0.4


@pytest.fixture(autouse=True)
def _hurry(settings, monkeypatch):
    settings.PAYMENT_PATIENCE = settings.PORTONE_TIMEOUT = 0.3
    monkeypatch.setattr(deadline, "SHORTEST_TIMEOUT", 0.2)
    # The breaker has tests of its own; here everything fails on purpose.
    monkeypatch.setattr(store, "MIN_CALLS", 10**6)


@pytest.fixture(autouse=True)
def _our_own_ear(_site, monkeypatch):
    """Webhooks reach us, signed and from threads of the sandbox, but without a network."""

    def hear(webhook, now):
        headers = webhooks.signed(webhook.webhook_id, webhook.body, now)
        services.receive_webhook(body=webhook.body.encode(), headers=headers, now=now)
        return 200

    monkeypatch.setattr(webhooks, "_post", hear)


@pytest.fixture
def hall(now):
    return make_event(now, plan=make_plan(rows=10, seats_per_row=10))


@pytest.fixture
def buyers(hall, now):
    people = [make_user(password=None) for _ in BEHAVIOURS]
    return [
        (Buyer(hall, person, now, first=2 * place), behaviour)
        for place, (person, behaviour) in enumerate(zip(people, BEHAVIOURS, strict=True))
    ]


def buy(buyer, behaviour):
    begin(buyer)
    if behaviour is None:
        return
    answer = buyer.agree(behaviour, seconds=SECONDS)
    if behaviour != Behaviour.ABANDON:
        buyer.confirm(answer)


def begin(buyer, tries=10):
    """Whoever is told that it is not possible this moment tries again, as a browser does."""
    for _ in range(tries):
        try:
            return buyer.start()
        except PaymentsPaused:
            continue
    return buyer.start()


def work_with_deaths(killer, now, minutes=60):
    """Each worker dies once with each payment, too; another comes later."""
    testing.wait()
    for minute in range(3, minutes, 3):
        then = now + timedelta(minutes=minute)
        for pk in services.claim_due_payments(now=then):
            killer.survive(pk, lambda pk=pk, then=then: services.settle_payment(pk=pk, now=then))
        reservations.expire_holds(now=then)
    testing.wait()


@pytest.mark.parametrize(("step", "when"), MOMENTS, ids=lambda word: word)
def test_whoever_dies_when_money_and_seats_agree(hall, buyers, now, step, when, monkeypatch):
    killer = Killer()
    killer.watch(step, when, monkeypatch.setattr)

    for buyer, behaviour in buyers:
        killer.survive(f"{behaviour} buyer", lambda b=buyer, how=behaviour: buy(b, how))
    work_with_deaths(killer, now)

    assert killer.struck
    assert money_and_seats_agree(hall)


def test_nobody_dies_and_everybody_gets_what_they_should(hall, buyers, now):
    for buyer, behaviour in buyers:
        buy(buyer, behaviour)
    work_with_deaths(Killer(), now)

    outcomes = {how.value if how else "": buyer.payment.state for buyer, how in buyers}
    assert outcomes == {
        **dict.fromkeys(("succeed", "pending", "slow", "time_out"), "succeeded"),
        **dict.fromkeys(("lose_webhook", "send_twice", "send_late"), "succeeded"),
        **dict.fromkeys(("decline", "refuse", "vanish"), "failed"),
        "abandon": outcomes["abandon"],
        "wrong_amount": "refunded",
        "": "cancelled",
    }
    assert outcomes["abandon"] in ("failed", "cancelled")
    assert money_and_seats_agree(hall)


def test_control_a_seat_sold_before_the_charge_is_found_out(hall, buyers, now):
    """The judge can tell: a reservation that is confirmed without money does not agree."""
    buyer, _ = buyers[0]
    buyer.start()
    reservations.confirm(code=buyer.code, now=now)
    Payment.objects.update(state="failed", due_at=None)

    with pytest.raises(AssertionError):
        money_and_seats_agree(hall)


# -- refunds --------------------------------------------------------------------------------------

REFUND_STEPS = [m for m in MOMENTS if m[0] in ("fetch", "refund", "finish_refund", "add_messages")]
REFUND_TROUBLES = [
    Behaviour.SUCCEED,
    Behaviour.REFUND_PENDING,
    Behaviour.REFUND_TIME_OUT,
    Behaviour.REFUND_REFUSED,
]


@pytest.mark.parametrize(("step", "when"), REFUND_STEPS, ids=lambda word: word)
def test_whoever_dies_while_refunding_money_and_seats_agree(
    hall, now, step, when, monkeypatch, settings
):
    people = [make_user(password=None) for _ in REFUND_TROUBLES]
    buyers = [Buyer(hall, person, now, first=2 * n) for n, person in enumerate(people)]
    settings.PAYMENT_PATIENCE = 10
    for buyer, trouble in zip(buyers, REFUND_TROUBLES, strict=True):
        assert buyer.buy(trouble, seconds=SECONDS).state == "succeeded"
    settings.PAYMENT_PATIENCE = 0.3
    killer = Killer()
    killer.watch(step, when, monkeypatch.setattr)

    for buyer in buyers:
        killer.survive(
            buyer.code,
            lambda b=buyer: services.refund_payment(pk=b.payment.pk, why="test", now=now),
        )
    work_with_deaths(killer, now)

    assert killer.struck
    assert money_and_seats_agree(hall)
    states = [buyer.payment.state for buyer in buyers]
    assert states == ["refunded", "refunded", "refunded", "succeeded"]
