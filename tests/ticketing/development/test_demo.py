"""The demo is believable, whole, and never mixes with real data."""

import pytest
from django.core.management import CommandError, call_command

from tests.making import make_user
from ticketing.accounts.models import User
from ticketing.development import demo
from ticketing.events.models import Event, Seat

pytestmark = pytest.mark.django_db


def test_the_demo_has_what_a_visitor_wants_to_see(now):
    events = demo.create_demo(now=now)

    sizes = {event.plan.venue.name_en: event.seats.count() for event in events}
    assert 9_500 < sizes["Hangang Arena"] < 10_500
    assert sizes["Jeongdong Hall"] == 300
    assert Seat.objects.filter(section__kind="standing").exists()
    assert {event.state for event in events} >= {"on_sale", "announced", "paused", "draft"}


def test_one_sale_opens_within_minutes(now):
    soon = [
        event
        for event in demo.create_demo(now=now)
        if event.state == "announced" and 0 < (event.on_sale_at - now).total_seconds() < 600
    ]

    assert len(soon) == 1


def test_the_printed_log_ins_work(now):
    demo.create_demo(now=now)

    for email, password, who in demo.DEMO_LOGINS:
        person = User.objects.get(email=email)
        assert person.check_password(password)
        assert person.is_staff == (who == "operator")


def test_real_data_is_left_alone():
    make_user()

    call_command("seed_demo", "--if-empty")

    assert not Event.objects.exists()


def test_without_the_flag_it_says_why_it_does_nothing():
    make_user()

    with pytest.raises(CommandError, match="empty database"):
        call_command("seed_demo")
