"""The calls of an ordinary sale are one statement each, and answer as the calls in threads do."""

from itertools import count

import httpx
import pytest
from django.conf import settings as site
from django.db import IntegrityError

from payments.sandbox import testing
from payments.sandbox.api import endpoint, fast_calls
from payments.sandbox.models import Call, Payment, Webhook
from payments.sandbox.testing import Behaviour
from tests.payments.sandbox.conftest import AMOUNT
from tests.race import together

ORDER = "order-1"
BUYERS = 6


@pytest.fixture
def key():
    """Another key for each call."""
    numbers = count()
    return lambda: f"key-of-a-sandbox-call-{next(numbers)}"


@pytest.fixture
def get(base):
    headers = {"authorization": f"PortOne {site.PORTONE_API_SECRET}"}
    return lambda: httpx.get(f"{base}/payments/{ORDER}", headers=headers, timeout=60)


@pytest.fixture
def register(post, key):
    def register(amount=AMOUNT, **more):
        body = {"totalAmount": amount, "currency": "KRW"}
        return post(f"{ORDER}/pre-register", body, **{"key": key()} | more)

    return register


@pytest.fixture
def confirm(post, key):
    def confirm(token, **more):
        body = {"paymentToken": token, **more.pop("body", {})}
        return post(f"{ORDER}/confirm", body, **{"key": key()} | more)

    return confirm


@pytest.fixture
def without_threads(monkeypatch):
    """A call that needs a thread fails."""

    async def refuse(*_):
        raise AssertionError("this call should need no thread")

    monkeypatch.setattr(endpoint, "in_thread", refuse)


@pytest.fixture
def only_threads(monkeypatch):
    async def undecided(call):
        return None

    monkeypatch.setattr(endpoint._Call, "answer_fast", undecided)


def test_an_ordinary_sale_takes_no_thread(register, confirm, get, shop, without_threads):
    assert register().status_code == 200
    token = testing.pay(ORDER)["paymentToken"]
    assert get().json()["status"] == "READY"
    charged = confirm(token)

    assert charged.status_code == 200
    found = get().json()
    assert (found["status"], found["amount"]["paid"]) == ("PAID", AMOUNT)
    assert charged.json() == {"pgTxId": found["pgTxId"], "paidAt": found["paidAt"]}
    assert testing.net_charged(ORDER) == AMOUNT
    assert shop.kinds == ["Paid", "Ready"]


def sale(register, confirm, get):
    """Every answer of a sale, and what is left in the tables."""
    answers = [register(key="k" * 16)]
    token = testing.pay(ORDER)["paymentToken"]
    testing.wait()  # for the webhooks, which are a part of the answer
    answers += [get(), confirm(token, key="c" * 16), confirm(token, key="c" * 16)]
    testing.wait()
    answers.append(get())
    payment = Payment.objects.values().get()
    webhooks = list(Webhook.objects.order_by("pk").values())
    calls = list(Call.objects.order_by("key").values())
    return [shape_of(each) for each in [*(one.json() for one in answers), payment, webhooks, calls]]


def shape_of(value):
    """The value without what differs between two sales: ids, tokens and times."""
    if isinstance(value, dict):
        changing = ("id", "Id", "At", "at", "token", "timestamp", "fingerprint")
        return {name: shape_of(it) for name, it in value.items() if not name.endswith(changing)}
    if isinstance(value, list):
        return [shape_of(it) for it in value]
    return value[:40] if isinstance(value, str) and value.startswith("{") else value


def test_a_sale_in_statements_is_that_of_the_threads(register, confirm, get, request):
    fast = sale(register, confirm, get)
    testing.reset()
    request.getfixturevalue("only_threads")

    assert sale(register, confirm, get) == fast


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        ({"token": "wrong"}, "INVALID_PAYMENT_TOKEN"),
        ({"body": {"totalAmount": 1}}, "INFORMATION_MISMATCH"),
        ({"body": {"currency": "USD"}}, "INFORMATION_MISMATCH"),
        ({"body": {"txId": "another"}}, "INFORMATION_MISMATCH"),
        ({"body": {"isTest": False}}, "INFORMATION_MISMATCH"),
        ({"key": "short"}, "INVALID_REQUEST"),
        ({"authorization": "PortOne wrong"}, "UNAUTHORIZED"),
        ({"body": {"storeId": "another"}}, "FORBIDDEN"),
    ],
)
def test_what_is_refused_in_threads_is_refused_and_charges_nothing(
    register, confirm, change, refusal
):
    register()
    given = {"token": testing.pay(ORDER)["paymentToken"]} | change

    assert confirm(given.pop("token"), **given).json()["type"] == refusal
    assert testing.charges() == []


@pytest.mark.parametrize("behaviour", [Behaviour.REFUSE, Behaviour.WRONG_AMOUNT])
def test_a_special_card_is_left_to_the_threads(register, confirm, behaviour):
    register()
    confirm(testing.pay(ORDER, behaviour)["paymentToken"])

    charged = {Behaviour.REFUSE: [], Behaviour.WRONG_AMOUNT: [AMOUNT + 1_000]}[behaviour]
    assert [charge.amount for charge in testing.charges()] == charged


def test_an_injected_fault_hits_these_calls_too(register, confirm, get):
    register()
    token = testing.pay(ORDER)["paymentToken"]
    testing.set_faults(failure_rate=1)

    assert {register().status_code, confirm(token).status_code, get().status_code} == {503}
    assert testing.charges() == []


def test_a_key_of_another_request_is_refused(register, confirm):
    register(key="k" * 16)
    token = testing.pay(ORDER)["paymentToken"]

    assert confirm(token, key="k" * 16).json()["type"] == "INVALID_REQUEST"
    assert testing.charges() == []


# -- several at once ------------------------------------------------------------------------------


@pytest.fixture
def violations(monkeypatch):
    """The constraints that had to refuse a statement."""
    found, run = [], fast_calls.arows

    async def watched(statement, values):
        try:
            return await run(statement, values)
        except IntegrityError as violation:
            found.append(str(violation))
            raise

    monkeypatch.setattr(fast_calls, "arows", watched)
    return found


def confirm_together(confirm, token):
    return together(BUYERS, lambda _: confirm(token).json().get("type", "paid"))


def test_many_confirms_at_once_charge_once_by_the_lock(register, confirm, violations):
    register()

    answers = confirm_together(confirm, testing.pay(ORDER)["paymentToken"])

    assert sorted(answers) == ["ALREADY_PAID"] * (BUYERS - 1) + ["paid"]
    assert [charge.amount for charge in testing.charges()] == [AMOUNT]
    assert violations == []


def test_control_without_the_lock_only_the_constraint_saves_the_money(
    register, confirm, violations, monkeypatch
):
    register()
    token = testing.pay(ORDER)["paymentToken"]
    statement = fast_calls.statement("confirm")
    unlocked = statement.replace("FOR UPDATE", "AND pg_sleep(0.5) IS NOT NULL")
    monkeypatch.setattr(fast_calls, "statement", lambda name: unlocked)

    answers = confirm_together(confirm, token)

    assert answers.count("paid") == 1
    assert len(testing.charges()) == 1
    assert any("sandbox_charged_once" in violation for violation in violations)


def test_one_key_in_many_calls_charges_once(register, confirm):
    register()
    token = testing.pay(ORDER)["paymentToken"]

    answers = together(BUYERS, lambda _: confirm(token, key="k" * 16).status_code)

    assert set(answers) <= {200, 409}
    assert len(testing.charges()) == 1


def test_many_registrations_at_once_leave_one_payment(register):
    answers = together(BUYERS, lambda _: register().status_code)

    assert answers == [200] * BUYERS
    assert Payment.objects.get().amount == AMOUNT
