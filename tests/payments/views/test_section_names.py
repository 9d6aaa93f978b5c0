"""A section is known to people by its name, to programs by its code."""

import pytest
from django.core import mail

from payments import services
from tests.payments.views.browser import pay
from tests.waiting_queue.api.conftest import logged_in
from ticketing.events.models import Section

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def balcony(event):
    Section.objects.filter(plan=event.plan, code="A").update(code="BAL", name_en="Upper balcony")


def test_basket_and_checkout_name_the_section(balcony, me, buyer):
    for address in (f"/events/{buyer.event.pk}/basket/", pay(buyer)):
        page = me.open(address)

        assert "Upper balcony, row 1, seat 1" in page
        assert "BAL" not in page


def test_order_and_mail_name_the_section(balcony, me, paid):
    services.deliver_messages(now=paid.now)

    page = me.open(f"/orders/{paid.code}/")

    assert "Upper balcony, row 1, seat 1" in page
    assert "BAL" not in page
    assert "Upper balcony, row 1, seat 1" in mail.outbox[0].body


def test_programs_go_by_the_code(balcony, client, buyer, fan):
    client.cookies["sessionid"] = logged_in(fan)

    seats = client.get(f"/api/v1/events/{buyer.event.pk}/reservations/{buyer.code}/").json()[
        "seats"
    ]

    assert [seat["section"] for seat in seats] == ["BAL", "BAL"]
    assert "section_name" not in seats[0]
