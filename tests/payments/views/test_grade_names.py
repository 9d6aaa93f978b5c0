"""A price grade is known to people by its name, to programs by its code and both names."""

import pytest
from django.core import mail

from payments import services
from tests.making import seat_ids
from tests.payments.views.browser import Browser
from tests.reservations.acting import hold
from tests.waiting_queue.api.conftest import logged_in
from ticketing.events.models import Grade

pytestmark = pytest.mark.django_db(transaction=True)
NAMES = {"ko": "로얄석", "en": "Royal box"}


@pytest.fixture(autouse=True)
def _royal(event):
    Grade.objects.filter(event=event, code="R").update(name_ko="로얄석", name_en="Royal box")


def test_basket_checkout_and_order_name_the_grade(me, paid, fan, event, now):
    held = hold(event, fan, now, *seat_ids(event)[2:4]).reservation.code
    pages = [f"/events/{event.pk}/basket/", f"/orders/{held}/pay/"]
    pages += [f"/orders/{paid.code}/{rest}" for rest in ("", "cancel/", "receipt/")]

    assert all('<span class="soft small">Royal box</span>' in me.open(page) for page in pages)


def test_a_korean_reader_reads_korean(paid, fan):
    browser = Browser(fan)
    browser.client.defaults["HTTP_ACCEPT_LANGUAGE"] = "ko"

    page = browser.open(f"/orders/{paid.code}/")

    assert "로얄석" in page
    assert "Royal box" not in page


def test_the_mail_names_it(paid):
    services.deliver_messages(now=paid.now)

    assert "seat 1 · Royal box" in mail.outbox[0].body


def test_an_order_whose_grade_is_another_one_by_now_keeps_its_code(me, paid, event):
    Grade.objects.filter(event=event, code="R").update(code="VIP")

    assert '<span class="soft small">R</span>' in me.open(f"/orders/{paid.code}/")


def test_programs_are_told_code_and_names_when_they_hold_and_when_they_ask(client, event, fan, now):
    held = hold(event, fan, now, *seat_ids(event)[:2])
    client.cookies["sessionid"] = logged_in(fan)
    address = f"/api/v1/events/{event.pk}/reservations/{held.reservation.code}/"

    asked = client.get(address).json()["seats"]

    assert [(seat["grade"], seat["grade_names"]) for seat in asked] == [("R", NAMES)] * 2
    assert [seat["grade_names"] for seat in held.seats] == [NAMES] * 2
    assert "grade_name" not in asked[0]


def test_operators_read_the_name(buyer, operator, client):
    client.force_login(operator, backend="django.contrib.auth.backends.ModelBackend")
    address = f"/admin/reservations/reservation/{buyer.reservation.pk}/change/"

    assert "로얄석" in client.get(address, headers={"accept-language": "ko"}).content.decode()
