"""Killed before and after every step, whatever the gateway does: money and seats agree."""

from datetime import timedelta
from functools import partial

import pytest
from django.test import override_settings

from payments import services, store
from payments.errors import PaymentsPaused
from payments.models import Payment
from payments.sandbox import testing, webhooks
from payments.sandbox.behaviours import UNANSWERED
from payments.sandbox.testing import Behaviour
from payments.services import deadline
from reservations import services as reservations
from reservations.models import Ticket
from tests.making import make_event, make_plan, make_user
from tests.payments.buyers import Buyer, money_and_seats_agree
from tests.payments.saga.kill_points import MOMENTS, STEPS, Killer, Recorder
from tests.soak import SOAK
from ticketing.core.fast_path.threads import in_thread

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("paying_site"),
    pytest.mark.soak,
]
# Behaviours of refunds need a refund and have a test of their own. None is a fan who leaves before
# the window opens.
BEHAVIOURS = [*(each for each in Behaviour if not each.name.startswith("REFUND")), None]
PAID = {
    *(Behaviour.SUCCEED, Behaviour.PENDING, Behaviour.SLOW, Behaviour.TIME_OUT),
    *(Behaviour.LOSE_WEBHOOK, Behaviour.SEND_TWICE, Behaviour.SEND_LATE),
}
FAILED = {Behaviour.DECLINE, Behaviour.REFUSE, Behaviour.VANISH, Behaviour.ABANDON}
# SLOW may be charged after we gave up.
AUTO_REFUNDED = {Behaviour.WRONG_AMOUNT, Behaviour.SLOW}
CONFIRMED = set(BEHAVIOURS) - {Behaviour.ABANDON, None}
# The behaviours with which a step is reached; nobody else can be killed there. A soak does not rely
# on it and lets everybody buy.
REACHED_BY = {step: set(BEHAVIOURS) for step in STEPS} | {
    **dict.fromkeys(("start_charge", "charge"), CONFIRMED),
    **dict.fromkeys(("succeed", "publish_sale"), PAID),
    "add_messages": FAILED | AUTO_REFUNDED | {None},
    "fail": FAILED | {Behaviour.SLOW},
    "cancel_unpaid": {Behaviour.ABANDON, None},
    **dict.fromkeys(("auto_refund", "refund", "finish_refund"), AUTO_REFUNDED),
}
# Answers that come after the timeout, or never. For all others a busy machine has enough time.
LATE = UNANSWERED | {Behaviour.SLOW}
SECONDS, TIMEOUT, LONG_TIMEOUT = 0.4, 0.3, 20


@pytest.fixture(autouse=True)
def _timeouts(paying_site, settings, monkeypatch):
    settings.PAYMENT_PATIENCE = settings.PORTONE_TIMEOUT = LONG_TIMEOUT
    monkeypatch.setattr(deadline, "SHORTEST_TIMEOUT", 0.2)
    # The breaker has tests of its own; here calls fail on purpose.
    monkeypatch.setattr(store, "MIN_CALLS", 10**6)


@pytest.fixture(autouse=True)
def _webhooks_without_network(paying_site, monkeypatch):
    """Webhooks are signed and come from threads of the sandbox, but by a function call."""

    async def post(webhook, now):
        headers = webhooks.signed(webhook.webhook_id, webhook.body, now)
        body = webhook.body.encode()
        await in_thread(services.receive_webhook, body=body, headers=headers, now=now)
        return 200

    monkeypatch.setattr(webhooks, "_post", post)


@pytest.fixture
def event(now):
    return make_event(now, plan=make_plan(rows=10, seats_per_row=10))


def make_buyers(event, now, behaviours):
    return [
        (Buyer(event, make_user(password=None), now, first=2 * place), behaviour)
        for place, behaviour in enumerate(behaviours)
    ]


def buy(buyer, behaviour):
    begin(buyer)
    if behaviour is None:
        return
    answer = buyer.agree(behaviour, seconds=SECONDS)
    if behaviour != Behaviour.ABANDON:
        with timeout_for(behaviour):
            buyer.confirm(answer)


def timeout_for(behaviour):
    return timeout(TIMEOUT if behaviour in LATE else LONG_TIMEOUT)


def timeout(seconds):
    return override_settings(PAYMENT_PATIENCE=seconds, PORTONE_TIMEOUT=seconds)


def begin(buyer, tries=10):
    """Repeats while payments are paused, as a fan does."""
    for _ in range(tries):
        try:
            return buyer.start()
        except PaymentsPaused:
            continue
    return buyer.start()


def settle_with_deaths(killer, now, minutes=60, life_of=int, behaviours=LATE):
    """Workers settle for an hour; each dies once with each payment, and another goes on.

    Each turn waits half as long again, so that a busy machine has enough time in the end; from the
    beginning where no answer is late.
    """
    testing.wait()
    shortest = TIMEOUT if LATE & {*behaviours} else LONG_TIMEOUT
    for turn, minute in enumerate(range(3, minutes, 3)):
        then = now + timedelta(minutes=minute)
        with timeout(min(LONG_TIMEOUT, shortest * 1.5**turn)):
            for pk in services.claim_due_payments(now=then):
                killer.run(life_of(pk), partial(services.settle_payment, pk=pk, now=then))
        reservations.expire_holds(now=then)
    testing.wait()


@pytest.mark.parametrize(("step", "when"), MOMENTS, ids=lambda word: word)
def test_whoever_is_killed_money_and_seats_agree(event, now, step, when, monkeypatch):
    behaviours = BEHAVIOURS if SOAK > 1 else [b for b in BEHAVIOURS if b in REACHED_BY[step]]
    buyers = make_buyers(event, now, behaviours)
    killer = Killer()
    killer.watch(step, when, monkeypatch.setattr)

    for buyer, behaviour in buyers:
        killer.run(f"{behaviour} buyer", partial(buy, buyer, behaviour))
    settle_with_deaths(killer, now, behaviours=behaviours)

    assert killer.killed
    assert money_and_seats_agree(event)


def test_webhooks_arrive(event, now, caplog):
    [(buyer, _)] = make_buyers(event, now, [Behaviour.SUCCEED])

    buy(buyer, Behaviour.SUCCEED)

    assert {sent.status for sent in testing.webhooks_of(buyer.payment.number)} == {200}
    assert not caplog.records


def test_nobody_is_killed_and_everybody_gets_what_they_should(event, now):
    buyers = make_buyers(event, now, BEHAVIOURS)
    for buyer, behaviour in buyers:
        buy(buyer, behaviour)
    settle_with_deaths(Killer(), now)

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
    assert money_and_seats_agree(event)


def test_no_step_is_reached_but_those_of_the_behaviour(event, now, monkeypatch):
    """Whom the matrix leaves out at a step could not have been killed there."""
    buyers = make_buyers(event, now, BEHAVIOURS)
    recorder = Recorder(monkeypatch.setattr)
    for buyer, behaviour in buyers:
        recorder.run(behaviour, partial(buy, buyer, behaviour))
    behaviour_of = {buyer.payment.pk: behaviour for buyer, behaviour in buyers}

    settle_with_deaths(recorder, now, life_of=behaviour_of.get)

    assert {step for step, _ in recorder.reached} == set(STEPS)
    assert {(step, how) for step, how in recorder.reached if how not in REACHED_BY[step]} == set()


def test_control_a_seat_sold_before_the_charge_is_found_out(event, now):
    """A reservation that is confirmed without money does not agree."""
    [(buyer, _)] = make_buyers(event, now, [None])
    buyer.start()
    reservations.confirm(code=buyer.code, now=now)
    Payment.objects.update(state="failed", due_at=None)

    with pytest.raises(AssertionError):
        money_and_seats_agree(event)


# -- refunds --------------------------------------------------------------------------------------

REFUND_STEPS = [m for m in MOMENTS if m[0] in ("fetch", "refund", "finish_refund", "add_messages")]
REFUND_BEHAVIOURS = [
    Behaviour.SUCCEED,
    Behaviour.REFUND_PENDING,
    Behaviour.REFUND_TIME_OUT,
    Behaviour.REFUND_REFUSED,
]


@pytest.mark.parametrize(("step", "when"), REFUND_STEPS, ids=lambda word: word)
def test_whoever_is_killed_while_refunding_money_and_seats_agree(
    event, now, step, when, monkeypatch
):
    buyers = make_buyers(event, now, REFUND_BEHAVIOURS)
    for buyer, behaviour in buyers:
        assert buyer.buy(behaviour, seconds=SECONDS).state == "succeeded"
    killer = Killer()
    killer.watch(step, when, monkeypatch.setattr)

    for buyer, behaviour in buyers:
        refund = partial(services.refund_payment, pk=buyer.payment.pk, why="test", now=now)
        with timeout_for(behaviour):
            killer.run(buyer.code, refund)
    settle_with_deaths(killer, now)

    assert killer.killed
    assert money_and_seats_agree(event)
    states = [buyer.payment.state for buyer, _ in buyers]
    assert states == ["refunded", "refunded", "refunded", "succeeded"]


@pytest.mark.parametrize(("step", "when"), REFUND_STEPS, ids=lambda word: word)
def test_whoever_is_killed_while_a_seat_is_cancelled_money_and_seats_agree(
    event, now, step, when, monkeypatch
):
    buyers = make_buyers(event, now, REFUND_BEHAVIOURS)
    for buyer, behaviour in buyers:
        assert buyer.buy(behaviour, seconds=SECONDS).state == "succeeded"
    killer = Killer()
    killer.watch(step, when, monkeypatch.setattr)

    for buyer, behaviour in buyers:
        whose = {"number": buyer.payment.number, "fan_id": buyer.fan.pk, "fee": 0, "now": now}
        cancel = partial(services.cancel_order, **whose, seats=buyer.seats[:1])
        with timeout_for(behaviour):
            killer.run(buyer.code, cancel)
    settle_with_deaths(killer, now)

    assert killer.killed
    assert money_and_seats_agree(event)
    part, price = "partially_refunded", 154_000
    found = [(buyer.payment.state, buyer.payment.refunded) for buyer, _ in buyers]
    assert found == [(part, price), (part, price), (part, price), ("succeeded", 0)]
    assert not Ticket.objects.filter(state="refunding").exists()
    assert Ticket.objects.filter(state="valid").count() == 5
