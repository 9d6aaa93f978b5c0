"""What people read in their mail: true, whole, in their language, safe, and once."""

import re
from datetime import timedelta
from html.parser import HTMLParser

import pytest
from django.core import mail as django_mail
from django.db import transaction
from django.utils import translation

from payments import services
from payments.models import OutboxMessage
from payments.sandbox.testing import Behaviour
from payments.services import outbox_delivery
from reservations.services.signals import seats_offered
from tests.payments.buyers import work
from tests.payments.outbox.mail_server import mail_server
from ticketing.events.models import Event

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("paying_site")]
HOSTILE = 'Night <script>alert(1)</script> & "Day"\r\nBcc: everybody@example.com'


@pytest.fixture
def bought(buyer):
    buyer.buy()
    return buyer


@pytest.fixture
def server(settings):
    """Django's own way to a mail server, and a real one at its end."""
    with mail_server() as inbox:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", inbox.port
        settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
        yield inbox


def delivered(now):
    """Every mail that goes out by then."""
    django_mail.outbox.clear()
    services.deliver_messages(now=now)
    return list(django_mail.outbox)


def html_of(mail):
    return next(part.content for part in mail.alternatives if part.mimetype == "text/html")


class Tags(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.tags, self.links, self.styled = set(), [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.links += [value for name, value in attrs if name in ("href", "src")]
        self.styled += [name for name, _ in attrs if name == "style" or name.startswith("on")]


# -- what they say --------------------------------------------------------------------------------


def test_who_bought_reads_seats_sum_and_code_and_where_to_find_them(bought, settings):
    settings.SITE_URL = "https://tickets.example.com"

    (mail,) = delivered(bought.now)

    order = f"https://tickets.example.com/orders/{bought.code}/"
    for body in (mail.body, html_of(mail)):
        assert "A, row 1, seat 1" in body
        assert "A, row 1, seat 2" in body
        assert "₩308,000" in body
        assert bought.code in body
        assert order in body
        assert "https://tickets.example.com/tickets/" in body


def test_tickets_and_a_calendar_entry_come_with_it(bought):
    (mail,) = delivered(bought.now)

    (pdf, print_kind), (entry, entry_kind) = (
        (content, kind) for _, content, kind in mail.attachments
    )
    assert (print_kind, pdf[:5]) == ("application/pdf", b"%PDF-")
    assert entry_kind.startswith("text/calendar")
    assert "BEGIN:VEVENT" in (entry if isinstance(entry, str) else entry.decode())
    assert "attached" in mail.body


def test_an_event_may_have_its_mails_link_to_the_tickets(bought, client):
    Event.objects.update(mails_tickets=False)

    (mail,) = delivered(bought.now)

    path = f"/tickets/orders/{bought.code}.pdf"
    client.force_login(bought.fan, backend="django.contrib.auth.backends.ModelBackend")
    assert mail.attachments == []
    assert path in mail.body
    assert path in html_of(mail)
    assert "attached" not in mail.body
    assert client.get(path)["Content-Type"] == "application/pdf"


def test_who_cancels_some_seats_reads_which_and_gets_the_other_tickets_again(bought):
    delivered(bought.now)
    django_mail.outbox.clear()
    services.cancel_order(
        number=bought.payment.number,
        fan_id=bought.fan.pk,
        fee=0,
        seats=bought.seats[:1],
        now=bought.now,
    )

    (mail,) = delivered(bought.now)

    assert mail.subject.startswith("Cancelled: some of your seats")
    assert "Cancelled seats: Section A, row 1, seat 1" in mail.body
    assert "Your seats: Section A, row 1, seat 2" in mail.body
    assert "₩154,000 is being refunded" in mail.body
    assert next(kind for _, _, kind in mail.attachments) == "application/pdf"
    assert "attached again" in mail.body


def test_a_late_mail_brings_no_tickets_that_are_void(bought):
    services.refund_payment(pk=bought.payment.pk, why="test", now=bought.now)

    first, last = delivered(bought.now)

    assert first.attachments == []
    assert "attached" not in first.body
    assert "Cancelled" in last.subject


@pytest.mark.parametrize(
    ("language", "subject", "greeting"),
    [("en", "Your seats for", "Hello Ann,"), ("ko", None, None)],
)
def test_the_whole_mail_is_in_the_language_of_the_purchase(buyer, language, subject, greeting):
    buyer.start(language=language)
    buyer.confirm(buyer.agree())

    with translation.override("en" if language == "ko" else "ko"):
        (mail,) = delivered(buyer.now)

    is_korean = bool(re.search("[가-힣]", mail.subject))
    assert is_korean == (language == "ko")
    assert f'<html lang="{language}">' in html_of(mail)
    assert (subject or "달빛 콘서트") in mail.subject
    assert (greeting or "Ann") in mail.body
    assert "₩" in mail.body if language == "en" else "원" in mail.body


def test_cancelling_is_one_mail_that_says_seats_money_and_fee(bought):
    delivered(bought.now)
    fan = {"number": bought.payment.number, "fan_id": bought.fan.pk}
    later = bought.now + timedelta(days=22)
    fee = services.cancellation_terms(**fan, now=later).fee
    services.cancel_order(**fan, fee=fee, now=later)

    (mail,) = delivered(later)

    assert fee
    assert "Cancelled" in mail.subject
    assert f"cancellation fee: ₩{fee:,}" in mail.body
    assert f"Going back: ₩{bought.payment.refunded:,}" in mail.body
    assert "A, row 1, seat 1" in mail.body


def test_a_part_that_goes_back_leaves_the_seats_and_says_so(bought):
    delivered(bought.now)
    services.refund_payment(pk=bought.payment.pk, amount=4_000, why="a pillar", now=bought.now)

    (mail,) = delivered(bought.now)

    assert "Your refund" in mail.subject
    assert "₩4,000" in mail.body
    assert "You keep your seats." in mail.body


def test_who_is_refunded_because_the_show_is_off_reads_that(bought):
    delivered(bought.now)
    Event.objects.filter(pk=bought.event.pk).update(state=Event.State.CANCELLED)
    services.refund_cancelled_events(now=bought.now)

    (mail,) = delivered(bought.now)

    assert "will not take place" in mail.body


def test_a_declined_card_is_told_with_the_way_back(buyer):
    buyer.start()
    buyer.confirm(buyer.agree(Behaviour.REFUSE))

    (mail,) = delivered(buyer.now)

    assert "did not go through" in mail.subject
    assert "Nothing was charged" in mail.body
    assert f"/orders/{buyer.code}/pay/" in mail.body


def test_who_paid_at_the_second_try_reads_only_of_that(buyer):
    buyer.start()
    buyer.confirm(buyer.agree(Behaviour.REFUSE))
    buyer.key = type(buyer.key)(int=buyer.key.int ^ 1)
    buyer.buy()

    (mail,) = delivered(buyer.now)

    assert "Your seats" in mail.subject


def test_who_never_paid_reads_that_the_seats_are_gone(buyer, later):
    buyer.start()
    work(later)

    (mail,) = delivered(later)

    assert "went back on sale" in mail.subject
    assert "Nothing was charged" in mail.body


def test_who_was_charged_without_getting_seats_is_told_before_the_money_is_back(
    buyer, later, monkeypatch
):
    monkeypatch.setattr(services.settlement, "settle_refund", lambda payment, *_, **__: payment)
    buyer.start()
    buyer.confirm(buyer.agree(Behaviour.WRONG_AMOUNT))

    (mail,) = delivered(buyer.now)

    assert buyer.payment.state == "refunding"
    assert "could not be kept" in mail.body
    assert "Nothing was charged" not in mail.body


def offer(buyer):
    """As the standby list does it, in the transaction of the hold."""
    with transaction.atomic():
        seats_offered.send(
            sender=None,
            reservation=buyer.reservation,
            link=f"/orders/{buyer.code}/pay/",
            language="en",
            now=buyer.now,
        )


def test_seats_that_are_offered_are_told_with_their_deadline(buyer):
    offer(buyer)

    (mail,) = delivered(buyer.now)

    assert "your turn" in mail.subject
    assert "A, row 1, seat 1" in mail.body
    assert "Held until" in mail.body
    assert f"/orders/{buyer.code}/pay/" in html_of(mail)


def test_an_offer_that_was_rolled_back_is_told_to_nobody(buyer):
    with transaction.atomic():
        offer(buyer)
        transaction.set_rollback(True)

    assert delivered(buyer.now) == []


# -- what can't be smuggled in --------------------------------------------------------------------


def test_a_hostile_title_is_only_words(bought):
    Event.objects.update(title_en=HOSTILE)

    (mail,) = delivered(bought.now)

    assert "script" not in Tags(html_of(mail)).tags
    assert "<script>alert(1)</script>" in mail.body  # text is text
    assert "\n" not in mail.subject
    assert "Bcc" not in mail.message()
    assert mail.recipients() == [bought.fan.email]


def test_a_hostile_name_is_only_words(bought):
    type(bought.fan).objects.update(display_name='<img src="https://evil.example/x">')

    (mail,) = delivered(bought.now)

    assert "img" not in Tags(html_of(mail)).tags


def test_an_address_that_names_two_people_gets_nothing(bought):
    type(bought.fan).objects.filter(pk=bought.fan.pk).update(email="a@example.com,b@example.com")

    assert delivered(bought.now) == []
    assert OutboxMessage.objects.filter(state="waiting").exclude(error="").count() == 1


def test_every_link_leads_home_and_nothing_is_styled_in_its_body(bought, settings):
    settings.SITE_URL = "https://tickets.example.com"

    (mail,) = delivered(bought.now)

    page = Tags(html_of(mail))
    assert page.links
    assert all(link.startswith("https://tickets.example.com/") for link in page.links)
    assert page.styled == []


# -- on the wire ----------------------------------------------------------------------------------


def test_a_mail_server_gets_it_whole_for_one_person(bought, server, settings):
    settings.EMAIL_REPLY_TO = "help@example.com"
    settings.DEFAULT_FROM_EMAIL = "Ticketing <tickets@tickets.example.com>"

    services.deliver_messages(now=bought.now)

    (mail,) = server.mails
    kinds = [part.get_content_type() for part in mail.walk() if not part.is_multipart()]
    assert server.recipients == [bought.fan.email]
    assert kinds == ["text/plain", "text/html", "application/pdf", "text/calendar"]
    assert mail["Reply-To"] == "help@example.com"
    assert mail["Auto-Submitted"] == "auto-generated"
    number = OutboxMessage.objects.get().sequence
    assert mail["Message-ID"] == f"<reservation-{bought.code}-{number}@tickets.example.com>"


def test_a_mail_that_goes_twice_has_one_name(bought, server):
    services.deliver_messages(now=bought.now)
    OutboxMessage.objects.update(state="waiting", due_at=bought.now)
    services.deliver_messages(now=bought.now)

    first, second = server.mails
    assert first["Message-ID"] == second["Message-ID"]


def test_two_messages_have_two_names(bought, server):
    services.refund_payment(pk=bought.payment.pk, why="test", now=bought.now)
    services.deliver_messages(now=bought.now)

    assert len({mail["Message-ID"] for mail in server.mails}) == len(server.mails) == 2


def test_what_the_server_refuses_becomes_a_dead_letter_and_can_be_sent_later(bought, server):
    server.refusal = "550 no such person"
    for hour in range(outbox_delivery.ATTEMPTS + 1):
        services.deliver_messages(now=bought.now + timedelta(hours=hour))

    (dead,) = OutboxMessage.objects.filter(state="dead")
    assert "no such person" in dead.error
    assert server.mails == []

    server.refusal = ""
    services.revive_message(pk=dead.pk, now=bought.now)
    services.deliver_messages(now=bought.now)
    dead.refresh_from_db()
    assert (dead.state, len(server.mails)) == ("delivered", 1)


def test_what_tells_nobody_anything_sends_nothing(bought, mailoutbox):
    """Older releases wrote it beside `ReservationConfirmed`."""
    OutboxMessage.objects.update(kind="PaymentSucceeded")

    services.deliver_messages(now=bought.now)

    assert mailoutbox == []
    assert set(OutboxMessage.objects.values_list("state", flat=True)) == {"delivered"}
