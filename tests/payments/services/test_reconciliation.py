"""Our books, the gateway's and the seats: what differs is found, kept as facts and said."""

from datetime import date, timedelta

import pytest
from django.core.management import call_command
from django.utils import translation
from django.utils.timezone import localtime

from payments import services
from payments.gateways import portone
from payments.sandbox import testing
from payments.sandbox.services import WindowOrder
from payments.sandbox.testing import Behaviour
from tests.payments.buyers import ask_gateway
from tests.waiting_queue.commands.calling import run
from ticketing.core import clock

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("paying_site")]
INSTANT = WindowOrder(channel_key="channel-key-sandbox-instant")


@pytest.fixture
def bought(buyer):
    buyer.buy()
    return buyer


def test_books_that_agree_are_said_to(bought):
    out, _ = run("payments_reconcile")

    assert "no differences" in out


def test_books_that_differ_are_an_error(bought):
    type(bought.payment).objects.update(charged=bought.payment.charged + 7)

    with pytest.raises(Exception, match="1 differences"):
        call_command("payments_reconcile")


def test_a_seat_without_money_is_found(bought, capsys):
    type(bought.payment).objects.update(state="failed", charged=0)

    with pytest.raises(Exception, match="2 differences"):
        call_command("payments_reconcile")
    told = capsys.readouterr().err
    assert "we kept ₩0, the gateway ₩308,000." in told
    assert "is confirmed, but no payment vouches for it." in told


def paid_there(name, amount, behaviour=None):
    """At the gateway alone: our side has no row of it."""
    number = f"pay-elsewhere-{name}"
    ask_gateway("prepare", number=number, amount=amount, currency="KRW", timeout=60)
    testing.pay(number, behaviour, order=INSTANT)
    return number


def test_money_that_only_the_gateway_knows_is_found_on_every_page(bought, monkeypatch, capsys):
    monkeypatch.setattr(portone, "PAGE_SIZE", 2)
    back, kept = paid_there("back", 100), paid_there("kept", 101)
    paid_there("refused", 102, Behaviour.REFUSE)
    last = paid_there("last", 103)
    ask_gateway(
        "refund", number=back, amount=100, refundable=100, reason="x", key="k" * 20, timeout=60
    )

    with pytest.raises(Exception, match="2 differences"):
        call_command("payments_reconcile")

    told = capsys.readouterr().err
    assert f"{kept}: the gateway took ₩101, and we know nothing of it." in told
    assert f"{last}: the gateway took ₩103, and we know nothing of it." in told


def test_each_day_says_what_was_begun_on_it(bought):
    number, today = paid_there("today", 100), localtime(clock.now()).date()
    days = [today, today + timedelta(days=1)]

    found = [services.reconcile(day=day, now=clock.now()) for day in days]

    assert [[each.number for each in differences] for differences in found] == [[number], []]


def test_play_money_is_no_money_where_cards_are_real(bought, settings):
    paid_there("play", 100)
    settings.PORTONE_TAKES_TEST = False

    assert services.reconcile(day=localtime(clock.now()).date(), now=clock.now()) == []


def test_a_gateway_that_can_not_be_asked_is_a_difference_of_its_own(settings, db):
    settings.PORTONE_URL = "http://127.0.0.1:1"
    day = date(2026, 11, 16)

    (found,) = services.reconcile(day=day, now=clock.now())

    assert (found.number, found.what) == ("2026-11-16", "not_listed")


@pytest.mark.parametrize(
    ("kept", "words"),
    [
        (["pay-1", "forgotten", {"payment": "charging"}], "is “being charged”, and nobody looks"),
        (["pay-1", "seats_gone", {"order": "K7", "reservation": "expired"}], "K7 is “ran out”"),
        (["pay-1", "not_compared", {"code": "ReadTimeout"}], "could not be compared: ReadTimeout"),
        (["pay-1", "is charging, 100 % forgotten"], "is charging, 100 % forgotten"),
    ],
)
def test_differences_are_kept_as_facts_and_said_in_words(kept, words):
    with translation.override("en"):
        assert words in services.Difference(*kept).label
