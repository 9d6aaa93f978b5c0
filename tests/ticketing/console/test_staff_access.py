"""The second factor, the length of a session and a fresh log-in, wherever staff act."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from django_otp.plugins.otp_totp.models import TOTPDevice

from tests.making import PASSWORD, make_event, make_user
from tests.ticketing.console.test_second_factor import (
    code_of,
    log_in_again,
    required,
    set_up,
    staff_client,
)
from ticketing.accounts import services
from ticketing.accounts.models import SecurityEvent, Session
from ticketing.accounts.selectors import caller
from ticketing.accounts.sessions import FRESH_AT, STAFF_SEEN, STAFF_SINCE
from ticketing.console.services.roles import CHECK_IN
from ticketing.core import clock
from ticketing.events.models import Event

__all__ = ["required", "staff_client"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(db):
    """With a password, unlike elsewhere in these tests."""
    return make_user(email="operator@example.com", is_staff=True, is_superuser=True)


@pytest.fixture
def doorkeeper(db):
    user = make_user(email="door@example.com", is_staff=True)
    app, _, name = CHECK_IN.partition(".")
    user.user_permissions.set(Permission.objects.filter(codename=name, content_type__app_label=app))
    return user


def counts(client, event):
    return client.get(f"/api/v1/door/events/{event.pk}/counts/")


def check_in(client, event):
    body = {"event": event.pk, "check_ins": [{"key": "0" * 32, "code": "X"}]}
    own = {"origin": "http://testserver"}
    return client.post("/api/v1/door/check-ins/", body, "application/json", headers=own)


def pass_time(client, **lasted):
    """As if the session's requests and log-in had been that long ago."""
    session = client.session
    for name in (STAFF_SINCE, STAFF_SEEN, FRESH_AT):
        if name in session:
            session[name] -= timedelta(**lasted).total_seconds()
    session.save()


def test_a_session_with_the_password_alone_checks_nobody_in(required, doorkeeper, event):
    client = log_in_again(doorkeeper)

    for answer in (counts(client, event), check_in(client, event)):
        assert (answer.status_code, answer.json()["code"]) == (403, "second_factor_missing")


def test_with_the_code_it_does(required, doorkeeper, event):
    client = log_in_again(doorkeeper)
    set_up(client, doorkeeper)

    assert counts(client, event).status_code == 200


def test_a_token_from_before_the_rule_is_refused(doorkeeper, event, settings, now):
    asked = {"user": doorkeeper, "name": "gate", "scopes": ["door"], "now": now}
    without, proven = (
        Client(headers={"authorization": f"Bearer {services.create_token(**asked, **more)[1]}"})
        for more in ({}, {"has_second_factor": True})
    )
    assert counts(without, event).status_code == 200

    settings.STAFF_TWO_FACTOR = "required"

    assert counts(without, event).json()["code"] == "second_factor_missing"
    assert counts(proven, event).status_code == 200


def test_drafts_are_hidden_until_the_code_is_entered(required, operator, now):
    draft = make_event(now, state=Event.State.DRAFT)
    client = log_in_again(operator)
    page = f"/events/{draft.pk}/"
    assert client.get(page).status_code == 404
    assert not caller(client.session.session_key).is_staff

    set_up(client, operator)

    assert client.get(page).status_code == 200


def test_setting_up_a_phone_ends_every_other_access(operator, staff_client, now):
    elsewhere = log_in_again(operator)
    secret = services.create_token(user=operator, name="x", scopes=["operate"], now=now)[1]

    set_up(staff_client, operator)

    assert staff_client.get("/admin/").status_code == 200
    assert elsewhere.get("/admin/").url.startswith("/admin/login/")
    bearer = {"authorization": f"Bearer {secret}"}
    assert Client().get("/api/v1/me/", headers=bearer).status_code == 401
    assert SecurityEvent.objects.filter(user=operator, kind="factor_added").exists()


def test_a_lost_phone_is_removed_with_all_access(staff_client, operator, doorkeeper):
    phone = TOTPDevice.objects.create(user=doorkeeper, confirmed=True, name="phone")
    theirs = log_in_again(doorkeeper)
    page = reverse("admin:otp_totp_totpdevice_delete", args=[phone.pk])

    staff_client.post(page, {"post": "yes"})

    assert not TOTPDevice.objects.filter(user=doorkeeper).exists()
    assert caller(theirs.session.session_key) is None
    assert SecurityEvent.objects.filter(user=doorkeeper, kind="factor_removed").exists()


# -- how long --------------------------------------------------------------------------------------


def expires_in(client):
    expires = Session.objects.get(pk=client.session.session_key).expire_date
    return (expires - clock.now()).total_seconds()


def test_a_session_of_staff_ends_after_a_rest_and_a_request_keeps_it(staff_client, fan):
    assert 29 * 60 < expires_in(staff_client) <= 30 * 60

    pass_time(staff_client, minutes=20)
    staff_client.get("/admin/")
    assert expires_in(staff_client) > 29 * 60

    assert expires_in(log_in_again(fan)) > 24 * 3600


def test_it_ends_after_twelve_hours_whatever_happens(staff_client):
    pass_time(staff_client, hours=11, minutes=50)
    staff_client.get("/admin/")
    assert 0 < expires_in(staff_client) <= 10 * 60

    pass_time(staff_client, minutes=11)

    assert staff_client.get("/admin/").url.startswith("/admin/login/")
    assert caller(staff_client.session.session_key) is None


# -- fresh -----------------------------------------------------------------------------------------


def give_role(client, person):
    page = reverse("admin:accounts_user_change", args=[person.pk])
    typed = {"email": person.email, "display_name": "Ann", "is_active": "on", "is_staff": "on"}
    return page, client.post(page, typed)


def test_roles_take_a_fresh_log_in(staff_client, fan):
    pass_time(staff_client, minutes=11)

    page, answer = give_role(staff_client, fan)

    assert answer.url == f"/accounts/identity/?next={page.replace('/', '%2F')}"
    fan.refresh_from_db()
    assert not fan.is_staff

    wrong = staff_client.post(answer.url, {"current_password": "wrong"})
    assert "current_password" in wrong.context["form"].errors
    right = staff_client.post(answer.url, {"current_password": PASSWORD})
    assert right.url == page
    give_role(staff_client, fan)
    fan.refresh_from_db()
    assert fan.is_staff


def test_a_fresh_log_in_takes_the_code_of_who_has_one(staff_client, operator):
    set_up(staff_client, operator)
    TOTPDevice.objects.update(last_t=-1)

    without = staff_client.post("/accounts/identity/", {"current_password": PASSWORD})
    both = {"current_password": PASSWORD, "code": code_of(operator)}

    assert "code" in without.context["form"].errors
    assert staff_client.post("/accounts/identity/", both).status_code == 302
