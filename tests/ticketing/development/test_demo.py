"""The demo is believable, whole, and never mixes with real data."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import override_settings
from django.utils.html import escape

from payments.sandbox.testing import net_charged
from reservations.models import Ticket
from tests.making import make_user
from ticketing.accounts.models import User
from ticketing.core import clock
from ticketing.development import demo
from ticketing.development.demo.events import PRESALE_CODES
from ticketing.events.models import Event, Seat, Venue
from waiting_queue.models import Lane, SaleQueue, WaitingPage
from waiting_queue.selectors import published_page
from waiting_queue.services.lane_keys import take_key

pytestmark = pytest.mark.django_db


def test_real_data_is_left_alone():
    make_user()

    call_command("seed_demo", "--if-empty")

    assert not Event.objects.exists()


def test_without_the_flag_it_says_why_it_does_nothing():
    make_user()

    with pytest.raises(CommandError, match="empty database"):
        call_command("seed_demo")


# -- one demo for all -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def now() -> datetime:
    return clock.now()


@pytest.fixture(scope="module")
def events(
    django_db_setup: None,
    django_db_blocker: Any,
    tmp_path_factory: pytest.TempPathFactory,
    now: datetime,
) -> Iterator[list[Event]]:
    """Its events, made once for all tests that look at it, which undo what they change."""
    media = override_settings(MEDIA_ROOT=tmp_path_factory.mktemp("media"))
    with media, django_db_blocker.unblock(), transaction.atomic():
        yield demo.create_demo(now=now)
        transaction.set_rollback(True)


def test_the_demo_has_what_a_visitor_wants_to_see(events, now):
    sizes = {event.plan.venue.name_en: event.seats.count() for event in events}
    assert 9_500 < sizes["Hangang Arena"] < 10_500
    assert sizes["Jeongdong Hall"] == 300
    assert Seat.objects.filter(section__kind="standing").exists()
    assert {event.state for event in events} >= {"on_sale", "announced", "paused", "draft"}
    announced = [event.on_sale_at - now for event in events if event.state == "announced"]
    assert len([True for wait in announced if 0 < wait.total_seconds() < 600]) == 1
    assert SaleQueue.objects.filter(mode=SaleQueue.Mode.MINUTE_DRAW).count() == 1
    assert len([event for event in events if published_page(event.pk)]) == 2
    assert all(page.picture.storage.exists(page.picture.name) for page in WaitingPage.objects.all())


def test_a_standing_night_of_the_demo_has_entry_numbers(events):
    numbered = Event.objects.exclude(entry_numbers="none")

    assert [event.title_en for event in numbered] == ["Wave Sounds Standing Night"]


def test_each_venue_of_the_demo_is_found_on_a_map(events, client):
    for venue in Venue.objects.all():
        venue.full_clean()
        assert venue.map_url.startswith("https://")
    page = client.get(f"/events/{events[0].pk}/").content.decode()
    assert f'href="{escape(events[0].plan.venue.map_url)}"' in page


def test_each_fan_can_use_a_code_of_the_presale_before_the_open_sale(events, now):
    presale, open_sale = Lane.objects.order_by("-number")

    fans = User.objects.filter(is_staff=False)
    taken = [
        take_key(event_id=presale.queue_id, person=str(fan.pk), lane=None, code=code, now=now)
        for fan, code in zip(fans, PRESALE_CODES, strict=True)
    ]

    assert taken == [presale.number] * 3
    assert open_sale.opens_at > now
    event = next(event for event in events if event.pk == presale.queue_id)
    assert all(code in event.description_ko for code in PRESALE_CODES)


def test_the_fans_bought_the_small_room_with_orders_that_can_be_cancelled(events, client):
    for fan in User.objects.filter(is_staff=False):
        [payment] = fan.payments.all()
        tickets = Ticket.objects.filter(holder=fan)
        assert {ticket.reservation_id for ticket in tickets} == {payment.reservation_id}
        assert net_charged(payment.number) == payment.amount == 30_000 * len(tickets)
        client.force_login(fan, backend="django.contrib.auth.backends.ModelBackend")
        page = client.get(f"/orders/{payment.reservation.code}/")
        assert f"/orders/{payment.reservation.code}/cancel/" in page.content.decode()


def test_the_printed_log_ins_work(events):
    for email, password, who in demo.DEMO_LOGINS:
        person = User.objects.get(email=email)
        assert person.check_password(password)
        assert person.is_staff == (who == "operator")
