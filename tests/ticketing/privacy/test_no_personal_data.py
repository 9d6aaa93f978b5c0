"""No personal data in logs and in names of Redis keys, through the main flows."""

import logging
from collections.abc import Iterator
from datetime import timedelta
from smtplib import SMTPDataError, SMTPRecipientsRefused

import pytest
from django.test import Client
from django.urls import reverse

from reservations import services as reservations
from reservations.models import Ticket
from tests.making import PASSWORD, make_user, seat_ids
from tests.reservations.acting import hold
from tests.ticketing.accounts.test_sign_up import asked, typed
from ticketing.accounts import services as accounts
from ticketing.accounts.models import SecurityEvent, User
from ticketing.accounts.services import addresses
from ticketing.core import clock, redis
from ticketing.core.logs.formats import PlainFormatter
from ticketing.privacy import services
from waiting_queue import services as queue
from waiting_queue.models import SaleQueue

pytestmark = pytest.mark.django_db(transaction=True)
EMAIL, NAME, PHONE = "annabelle.lee@example.com", "Annabelle Lee", "010-9876-5432"
TRACES = ("annabelle", "example.com", "010-9876", "9876", PASSWORD, "203.0.113.77")


class Records(logging.Handler):
    """Every record of every logger, with its arguments and its exception."""

    def __init__(self) -> None:
        super().__init__(level=logging.DEBUG)
        self.lines: list[str] = []
        self.setFormatter(PlainFormatter("%(name)s %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@pytest.fixture
def records() -> Iterator[Records]:
    """From INFO on, as the site logs."""
    handler, root = Records(), logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    yield handler
    root.removeHandler(handler)
    root.setLevel(before)


def traces(text: str) -> list[str]:
    return [trace for trace in TRACES if trace.lower() in text.lower()]


def look(seen: set[str]) -> None:
    """Add the names of all keys that are there now; their values don't matter."""
    client = redis.client()
    seen |= {key.decode() if isinstance(key, bytes) else key for key in client.scan_iter("*")}


def sign_up(browser: Client) -> User:
    browser.post(asked(browser, EMAIL), typed(display_name=NAME))
    user = User.objects.get()
    browser.post("/accounts/", {"display_name": NAME, "phone": PHONE})
    browser.post("/accounts/log-out/")
    wrong = {"username": EMAIL, "password": PASSWORD + "x"}
    browser.post("/accounts/log-in/", wrong)
    browser.post("/accounts/password/reset/", {"email": EMAIL})
    browser.post("/accounts/log-in/", wrong | {"password": PASSWORD})
    return user


def buy(event, fan, now) -> Ticket:
    line = SaleQueue.objects.create(event=event, opens_at=now, admit_per_second=0)
    queue.move_queue(event_id=line.pk, to="open", by=None, now=now)
    queue.join(event_id=event.pk, person=str(fan.pk), now=now)
    code = hold(event, fan, now, *seat_ids(event)[:2]).reservation.code
    reservations.extend_for_payment(code=code, fan_id=fan.pk, now=now)
    reservations.confirm(code=code, now=now)
    return Ticket.objects.filter(reservation__code=code).first()


def test_neither_logs_nor_keys_name_anybody(event, now, worker, records):
    keys_seen: set[str] = set()
    browser = Client(
        raise_request_exception=False,
        headers={"accept-language": "en", "accept": "text/html"},
        REMOTE_ADDR="203.0.113.77",
    )
    fan = sign_up(browser)
    look(keys_seen)
    ticket = buy(event, fan, now)
    reservations.offer_ticket(code=ticket.code, fan_id=fan.pk, email="friend@example.com", now=now)
    for address in ("/", "/tickets/", "/accounts/", reverse("payments:orders"), "/nothing/here/"):
        browser.get(address, {"email": EMAIL})
    browser.post("/accounts/data/")
    look(keys_seen)
    services.delete_account(user=fan, knows_tickets=True, now=now)
    services.purge(now=now)
    look(keys_seen)

    assert len(keys_seen) > 5
    assert [key for key in keys_seen if traces(key)] == []
    assert records.lines
    assert [line for line in records.lines if traces(line)] == []


def test_links_from_mails_are_cut_short_in_the_log(db, worker, records, monkeypatch):
    """They hold an address, and prove that somebody reads its mail."""
    browser = Client(raise_request_exception=False)
    link = asked(browser, EMAIL)
    monkeypatch.setattr(addresses, "LINK_LASTS", timedelta(seconds=-1))

    assert browser.get(link).status_code == 400

    [line] = [line for line in records.lines if "/accounts/sign-up/" in line]
    assert line.endswith("/accounts/sign-up/[removed]/")


@pytest.mark.parametrize(
    "refusal",
    [
        SMTPRecipientsRefused({EMAIL: (550, f"<{EMAIL}> is unknown".encode())}),
        SMTPDataError(554, f"no mail for <{EMAIL}>".encode()),
    ],
)
def test_a_mail_server_that_repeats_the_address_does_not_bring_it_to_the_log(
    db, now, records, monkeypatch, refusal
):
    def refuse(self, messages):
        raise refusal

    monkeypatch.setattr("django.core.mail.backends.locmem.EmailBackend.send_messages", refuse)
    user = make_user(email=EMAIL)
    user.record(SecurityEvent.Kind.PASSWORD_CHANGED)
    accounts.mail_notices(now=clock.now())
    with pytest.raises(type(refusal)) as raised:
        accounts.mail_reset_link(user_id=user.pk, language="en")

    assert traces(str(raised.value)) == []
    assert raised.value.__suppress_context__
    assert [line for line in records.lines if "security event" in line]
    assert [line for line in records.lines if traces(line)] == []


def test_control_a_record_and_a_key_that_name_somebody_are_found(records):
    logging.getLogger("somewhere").info("mail to %s", NAME)
    redis.client().set(f"throttle:{EMAIL}", 1)
    seen: set[str] = set()
    look(seen)

    assert [line for line in records.lines if traces(line)]
    assert [key for key in seen if traces(key)]
