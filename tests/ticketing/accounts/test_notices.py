"""Every change of credentials is in the security log, and its owner gets a mail about it."""

from datetime import datetime, timedelta

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.test import Client
from django.utils import translation

from tests.making import PASSWORD
from tests.ticketing.accounts.conftest import is_logged_in, logged_in
from tests.ticketing.accounts.test_addresses import ask_for
from tests.ticketing.accounts.test_password_reset import NEW, link_in_mail
from tests.ticketing.accounts.test_profile import token_form
from ticketing.accounts import services
from ticketing.accounts.models import ApiToken, SecurityEvent, User
from ticketing.core import clock

FIREFOX = "Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0"


def change_password(browser: Client) -> None:
    changed = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}
    browser.post("/accounts/password/", changed)


def create_token(browser: Client) -> None:
    browser.post("/accounts/tokens/", token_form())


def revoke_token(browser: Client) -> None:
    create_token(browser)
    browser.post(f"/accounts/tokens/{ApiToken.objects.get().pk}/revoke/")


def log_out_everywhere(browser: Client) -> None:
    browser.post("/accounts/log-out-everywhere/")


def ask_for_address(browser: Client) -> None:
    ask_for(browser, "anna@example.com")


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (change_password, "password_changed"),
        (create_token, "token_created"),
        (revoke_token, "token_revoked"),
        (log_out_everywhere, "logged_out"),
        (ask_for_address, "email_change_asked"),
    ],
)
def test_the_owner_gets_a_mail(ann: User, anns_browser: Client, change, kind):
    change(anns_browser)
    event = SecurityEvent.objects.filter(user=ann, kind=kind).get()

    services.mail_notices(now=clock.now())

    about = [sent for sent in mail.outbox if str(event.get_kind_display()) in sent.subject]
    assert [sent.to for sent in about] == [["ann@example.com"]]
    assert "127.0.0.1" in about[0].body or kind == "token_revoked"


def test_both_addresses_are_told_about_a_new_one(ann: User, anns_browser: Client, worker: None):
    ask_for_address(anns_browser)
    anns_browser.post(link_in_mail())
    mail.outbox.clear()

    services.mail_notices(now=clock.now())

    changed = [sent for sent in mail.outbox if "address changed" in sent.subject]
    assert sorted(sent.to[0] for sent in changed) == ["ann@example.com", "anna@example.com"]


def test_each_mail_is_sent_once_in_the_language_of_the_change(ann: User, now: datetime):
    with translation.override("ko"):
        services.log_out_everywhere(user=ann)

    later = clock.now()
    assert services.mail_notices(now=later) == 1
    assert services.mail_notices(now=later + timedelta(days=1)) == 0
    with translation.override("ko"):
        assert str(SecurityEvent.objects.get().get_kind_display()) in mail.outbox[0].subject


def test_a_mail_that_could_not_be_sent_is_tried_again(ann: User, monkeypatch):
    services.log_out_everywhere(user=ann)
    now = clock.now()
    with monkeypatch.context() as broken:
        broken.setattr(EmailBackend, "send_messages", refuse)
        assert services.mail_notices(now=now) == 0
    assert services.mail_notices(now=now) == 0  # not at once

    assert services.mail_notices(now=now + timedelta(minutes=5)) == 1
    assert len(mail.outbox) == 1


def refuse(*args: object) -> None:
    raise OSError("no mail server")


# -- devices ---------------------------------------------------------------------------------------


def test_devices_are_listed_and_ended_one_by_one(ann: User, ben: User):
    here, phone, bens = logged_in(ann), logged_in(ann), logged_in(ben)
    phone.logout()
    phone.post(
        "/accounts/log-in/",
        {"username": ann.email, "password": PASSWORD},
        headers={"user-agent": FIREFOX},
        REMOTE_ADDR="203.0.113.9",
    )

    page = here.get("/accounts/")
    this, other = page.context["devices"]
    assert (this.is_this, other.is_this) == (True, False)
    assert (other.label, other.address) == ("Firefox, Android", "203.0.113.9")
    assert phone.session.session_key not in page.content.decode()

    assert bens.post(f"/accounts/sessions/{other.public_id}/end/").status_code == 404
    assert is_logged_in(phone)
    assert here.post(f"/accounts/sessions/{other.public_id}/end/").url == "/accounts/"
    assert not is_logged_in(phone)
    assert is_logged_in(here)
