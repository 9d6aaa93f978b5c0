"""Whom an operator takes off the list reads it in a mail and on the page, with the reason."""

from datetime import timedelta

import pytest
from django.utils import translation

from payments.models import OutboxMessage
from payments.services import deliver_messages
from reservations import services
from reservations.models import Reservation
from reservations.selectors import standby
from tests.reservations.standby.acting import joined, refunded, states_of
from tests.reservations.standby.test_pages import browser_of, page, text_of
from ticketing.core.errors import IllegalMove

pytestmark = pytest.mark.django_db(transaction=True)
WHY = "two accounts <b>&"


@pytest.fixture
def entry(event, orders, fan, now):
    wish = {"quantity": 1, "language": "en", "now": now}
    return services.join_standby(event_id=event.pk, fan_id=fan.pk, **wish)


@pytest.fixture
def offered(entry, orders, now):
    refunded(now, orders[0])
    services.process_returned_seats(now=now)
    return entry


def take_off(entry, operator, now, why=WHY):
    return services.remove_from_standby(entry_id=entry.pk, by=operator, why=why, now=now)


def told():
    return list(OutboxMessage.objects.order_by("pk").values_list("kind", flat=True))


def test_they_read_it_in_their_mail_with_the_reason(entry, operator, fan, now, mailoutbox):
    take_off(entry, operator, now)

    deliver_messages(now=now)

    (mail,) = mailoutbox
    html = mail.alternatives[0].content
    assert mail.to == [fan.email]
    assert "no longer on the standby list" in mail.subject
    assert f"Reason: {WHY}" in mail.body
    assert f"/events/{entry.event_id}/standby/" in mail.body
    assert "held for you" not in mail.body
    assert "two accounts &lt;b&gt;&amp;" in html


def test_it_is_written_in_their_language(entry, operator, now, mailoutbox):
    type(entry).objects.update(language="ko")
    take_off(entry, operator, now)

    with translation.override("en"):
        deliver_messages(now=now)

    assert "안녕하세요" in mailoutbox[0].body


def test_whose_offer_ends_with_it_hears_of_that_alone(offered, operator, now, mailoutbox):
    take_off(offered, operator, now)

    deliver_messages(now=now)

    (mail,) = mailoutbox  # not that it is their turn: it no longer is
    assert "The seats that were held for you go to the next person" in mail.body
    assert told() == ["SeatsOffered", "TakenOffStandby"]


def test_who_has_joined_again_by_then_is_not_told(entry, event, fan, operator, now, mailoutbox):
    take_off(entry, operator, now)
    joined(event, now, fan=fan)

    deliver_messages(now=now)

    assert mailoutbox == []


def test_the_page_says_it_calmly_with_the_reason(entry, event, fan, operator, now):
    take_off(entry, operator, now)

    text = text_of(browser_of(fan), page(event))

    assert "The organiser has removed you from the list. You can join again at the end." in text
    assert "The reason given: two accounts &lt;b&gt;&amp;" in text


def test_without_a_reason_none_is_shown(entry, event, fan, operator, now, mailoutbox):
    take_off(entry, operator, now, why="")
    deliver_messages(now=now)

    text = text_of(browser_of(fan), page(event))

    assert "The organiser has removed you from the list." in text
    assert "The reason given" not in text
    assert "Reason:" not in mailoutbox[0].body


def test_who_leaves_by_themselves_was_not_taken_off(entry, event, fan, now):
    services.leave_standby(event_id=event.pk, fan_id=fan.pk, now=now)

    assert standby.removal_of(entry) is None
    assert "You are no longer on the list." in text_of(browser_of(fan), page(event))
    assert told() == []


def test_what_ends_by_itself_is_nobodys_doing(entry, event, now):
    type(event).objects.update(state="closed")

    services.process_returned_seats(now=now)

    assert states_of(entry) == ["left"]
    assert (standby.removal_of(entry), told()) == (None, [])


def test_seats_that_were_bought_meanwhile_stay_so(offered, operator, now):
    code = Reservation.objects.get(offer=offered).code
    services.extend_for_payment(code=code, fan_id=offered.fan_id, now=now)
    with pytest.raises(IllegalMove):
        take_off(offered, operator, now)
    services.confirm(code=code, now=now)

    take_off(offered, operator, now + timedelta(seconds=1))

    assert states_of(offered) == ["taken"]
    assert "TakenOffStandby" not in told()


def test_the_operator_is_told_that_they_read_it(entry, operator):
    desk = browser_of(operator)

    asked = text_of(desk, f"/admin/reservations/standbyentry/{entry.pk}/remove/")

    assert "They are told by mail, with the reason that you give." in asked
