"""Who is told what when tickets change hands, names or codes, and when an offer was missed."""

import re
from datetime import timedelta

import pytest

from reservations import services as reservations
from reservations.errors import TooManyOffers
from reservations.models import Ticket
from tests.making import make_event, make_plan, make_user, seat_ids
from tests.payments.outbox.test_order_mails import Tags, delivered, html_of
from tests.reservations.standby.acting import all_sold, joined, refunded
from tests.reservations.tickets.conftest import buy

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("paying_site")]


@pytest.fixture
def ann(db):
    return make_user(display_name="Ann", password=None)


@pytest.fixture
def ben(db):
    return make_user(display_name="Ben", password=None)


@pytest.fixture
def ticket(event, ann, now) -> Ticket:
    return buy(event, ann, now, *seat_ids(event)[:1]).tickets.get()


@pytest.fixture
def offer(ticket, ann, ben, now):
    return offered(ticket, ann, ben.email, now)


def offered(ticket, giver, email, now, language="en"):
    whose = {"code": ticket.code, "fan_id": giver.pk, "language": language}
    return reservations.offer_ticket(**whose, email=email, now=now)


def test_who_is_offered_a_ticket_reads_by_whom_and_where(offer, ann, ben, now, settings):
    settings.SITE_URL = "https://tickets.example.com"

    (mail,) = delivered(now)

    assert mail.recipients() == [ben.email]
    for body in (mail.body, html_of(mail)):
        assert "Ann wants to give you a ticket" in body
        assert "https://tickets.example.com/tickets/" in body
        assert f"Log in with {ben.email}" in body
    assert Tags(html_of(mail)).styled == []


def test_nobody_need_have_an_account_to_be_offered_one(ticket, ann, now):
    offered(ticket, ann, "New@Example.com", now)

    (mail,) = delivered(now)

    assert mail.recipients() == ["new@example.com"]
    assert "sign up with it" in mail.body


def test_an_offer_that_is_over_by_then_is_not_told(offer, ticket, ann, ben, now):
    reservations.withdraw_offer(code=ticket.code, fan_id=ann.pk, now=now)

    told = {mail.recipients()[0]: mail for mail in delivered(now)}

    assert "no longer offered" in told[ben.email].subject
    assert "You keep your ticket" in told[ann.email].subject
    assert len(told) == 2


def test_a_declined_ticket_is_told_to_its_giver(offer, ann, ben, now):
    delivered(now)
    reservations.decline_offer(code=offer.code, fan_id=ben.pk, now=now)

    (mail,) = delivered(now)

    assert mail.recipients() == [ann.email]
    assert f"{ben.email} declined your ticket" in mail.body


def test_an_accepted_ticket_is_told_to_both_and_comes_with_its_code(offer, ann, ben, now):
    delivered(now)
    new = reservations.accept_offer(code=offer.code, fan_id=ben.pk, language="ko", now=now)

    given, got = delivered(now)

    assert given.recipients() == [ann.email]
    assert "your code is no longer valid" in given.body
    assert given.attachments == []
    assert got.recipients() == [ben.email]
    assert f"/tickets/{new.code}/" in got.body
    assert [name for name, *_ in got.attachments] == [
        f"tickets-{new.reservation.code}.pdf",
        f"tickets-{new.reservation.code}.ics",
    ]
    assert re.search("[가-힣]", got.subject)
    assert not re.search("[가-힣]", given.subject)


def test_a_new_name_and_a_new_code_are_told_to_the_holder(ticket, ann, now):
    whose = {"fan_id": ann.pk, "language": "en", "now": now}
    named = reservations.rename_ticket(code=ticket.code, name="Bea <b>", **whose)
    reservations.reissue_ticket(code=named.code, **whose)

    first, second = delivered(now)

    assert "from “Ann” to “Bea <b>”" in first.body
    assert "<b>" not in html_of(first)
    assert "has a new code" in second.body
    assert first.recipients() == second.recipients() == [ann.email]


def test_an_operator_who_issues_again_writes_in_the_language_of_the_purchase(buyer, operator):
    buyer.start(language="ko")
    buyer.confirm(buyer.agree())
    delivered(buyer.now)
    code = buyer.reservation.tickets.first().code

    reservations.reissue_by_operator(code=code, by=operator, why="lost", now=buyer.now)

    (mail,) = delivered(buyer.now)
    assert '<html lang="ko">' in html_of(mail)


def test_who_was_offered_what_got_a_new_code_hears_that_it_ended(offer, ticket, ann, ben, now):
    delivered(now)
    reservations.reissue_ticket(code=ticket.code, fan_id=ann.pk, language="en", now=now)

    subjects = {mail.recipients()[0]: mail.subject for mail in delivered(now)}

    assert "no longer offered" in subjects[ben.email]


def test_nobody_writes_to_strangers_all_day(ticket, ann, now):
    for number in range(5):
        offered(ticket, ann, f"stranger{number}@example.com", now)
        reservations.withdraw_offer(code=ticket.code, fan_id=ann.pk, now=now)
    new = reservations.reissue_ticket(code=ticket.code, fan_id=ann.pk, now=now)

    with pytest.raises(TooManyOffers):
        offered(new, ann, "stranger6@example.com", now)
    assert offered(new, ann, "stranger6@example.com", now + timedelta(days=1, seconds=1))


# -- the standby list ------------------------------------------------------------------------------


@pytest.fixture
def waiting(ben, now):
    """Sold out, one seat came back and is offered to the one who waits."""
    event = make_event(now, plan=make_plan(rows=1, seats_per_row=2), returns="standby")
    orders = all_sold(event, now)
    entry = joined(event, now, fan=ben)
    type(entry).objects.update(language="en")
    refunded(now, orders[0])
    reservations.process_returned_seats(now=now)
    return entry


def test_an_offer_and_then_that_it_was_missed(waiting, ben, now):
    (first,) = delivered(now)
    late = now + timedelta(days=1)
    reservations.expire_holds(now=late)
    reservations.process_returned_seats(now=late)

    (second,) = delivered(late)

    assert "your turn" in first.subject
    assert second.recipients() == [ben.email]
    assert "not paid for in time" in second.body
    assert f"/events/{waiting.event_id}/standby/" in html_of(second)


def test_an_offer_that_could_not_be_told_in_time_is_only_told_as_missed(waiting, now):
    late = now + timedelta(days=1)
    reservations.expire_holds(now=late)
    reservations.process_returned_seats(now=late)

    (mail,) = delivered(late)

    assert "has run out" in mail.subject
