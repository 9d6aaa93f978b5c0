"""E-mail addresses: proved by a link before they count, at a change and for older accounts."""

from datetime import datetime

import pytest
from django.core import mail
from django.test import Client

from tests.making import PASSWORD, make_user
from tests.ticketing.accounts.conftest import is_logged_in, logged_in, new_browser
from tests.ticketing.accounts.test_password_reset import NEW, RESET, follow, link_in_mail
from ticketing.accounts import services
from ticketing.accounts.errors import BadLink, EmailNotConfirmed
from ticketing.accounts.models import ApiToken, SecurityEvent, User
from ticketing.accounts.selectors import caller

ADDRESS, CONFIRM = "/accounts/address/", "/accounts/confirm/"


@pytest.fixture
def stranger(db: None) -> User:
    """Signed up with somebody's address before addresses were confirmed."""
    return make_user(email="victim@example.com", email_confirmed_at=None)


def ask_for(browser: Client, email: str, **more: str):
    return browser.post(ADDRESS, {"email": email, "current_password": PASSWORD} | more)


def secret_in_mail() -> str:
    return link_in_mail().removeprefix(CONFIRM).rstrip("/")


def test_the_old_address_stays_until_the_new_one_is_confirmed(
    ann: User, anns_browser: Client, worker: None
):
    ask_for(anns_browser, "Anna@Example.com")
    ann.refresh_from_db()
    assert (ann.email, ann.new_email) == ("ann@example.com", "anna@example.com")
    assert mail.outbox[0].to == ["anna@example.com"]
    assert "anna@example.com" in anns_browser.get("/accounts/").content.decode()

    assert anns_browser.get(link_in_mail()).status_code == 200
    ann.refresh_from_db()
    assert ann.email == "ann@example.com"

    anns_browser.post(link_in_mail())
    ann.refresh_from_db()
    assert (ann.email, ann.new_email, ann.is_confirmed) == ("anna@example.com", "", True)


def test_a_new_address_takes_the_password(ann: User, anns_browser: Client):
    refused = ask_for(anns_browser, "anna@example.com", current_password="wrong")

    ann.refresh_from_db()
    assert "current_password" in refused.context["form"].errors
    assert not ann.new_email


def test_a_new_address_ends_other_sessions_and_all_tokens(
    ann: User, anns_browser: Client, worker: None, now: datetime
):
    elsewhere = logged_in(ann)
    services.create_token(user=ann, name="script", now=now)
    ask_for(anns_browser, "anna@example.com")

    anns_browser.post(link_in_mail())

    assert is_logged_in(anns_browser)
    assert anns_browser.get("/accounts/").status_code == 200
    assert not is_logged_in(elsewhere)
    assert not ApiToken.objects.filter(revoked_at=None).exists()


def test_somebody_elses_address_gets_the_same_answer_and_its_owner_a_mail(
    ann: User, ben: User, anns_browser: Client, worker: None
):
    taken = ask_for(anns_browser, "BEN@example.com")
    free = ask_for(anns_browser, "anna@example.com")

    assert (taken.status_code, taken.url) == (free.status_code, free.url)
    to_ben, _ = mail.outbox
    assert to_ben.to == ["ben@example.com"]
    assert "/confirm/" not in to_ben.body


@pytest.mark.parametrize("change", ["password", "address", "another"])
def test_a_link_ends_with_every_change(ann: User, anns_browser, worker, now, change):
    ask_for(anns_browser, "anna@example.com")
    secret = secret_in_mail()
    if change == "password":
        ann.set_password(NEW)
        ann.save()
    elif change == "address":
        ask_for(anns_browser, "annie@example.com")
    else:
        ann = make_user()

    with pytest.raises(BadLink):
        services.confirm_address(user_id=ann.pk, secret=secret, origin="", now=now)


# -- accounts from before --------------------------------------------------------------------------


def test_only_who_is_logged_in_confirms_an_older_account(stranger: User, worker: None):
    """The victim gets the mail and opens the link: that must not confirm the stranger's account."""
    logged_in(stranger).post(CONFIRM)
    link = link_in_mail()

    victim = new_browser()
    assert victim.post(link).url.startswith("/accounts/log-in/")
    assert logged_in(make_user()).post(link).status_code == 400

    stranger.refresh_from_db()
    assert not stranger.is_confirmed


def test_the_owner_confirms_it_in_every_session(stranger: User, worker: None):
    browser, elsewhere = logged_in(stranger), logged_in(stranger)
    assert not caller(elsewhere.session.session_key).is_confirmed
    browser.post(CONFIRM)

    browser.post(link_in_mail())

    assert caller(browser.session.session_key).is_confirmed
    assert caller(elsewhere.session.session_key).is_confirmed


def test_the_true_owner_takes_the_account_over_by_a_reset(stranger: User, worker: None):
    strangers_browser = logged_in(stranger)
    victim = new_browser()
    victim.post(RESET, {"email": stranger.email})

    victim.post(follow(victim, link_in_mail()), {"new_password1": NEW, "new_password2": NEW})

    stranger.refresh_from_db()
    assert stranger.is_confirmed
    assert not is_logged_in(strangers_browser)


def test_without_confirmation_there_are_no_tokens(stranger: User, now: datetime):
    with pytest.raises(EmailNotConfirmed):
        services.create_token(user=stranger, name="script", now=now)

    sent = {"email": stranger.email, "password": PASSWORD, "name": "x"}
    answer = Client().post("/api/v1/tokens/", sent, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (403, "email_not_confirmed")


def test_a_superuser_who_changes_an_address_proves_nothing(ann: User, operator: User):
    typed = {"email": "other@example.com", "display_name": "Ann", "is_active": "on"}

    logged_in(operator).post(f"/admin/accounts/user/{ann.pk}/change/", typed)

    ann.refresh_from_db()
    assert (ann.email, ann.is_confirmed) == ("other@example.com", False)
    assert SecurityEvent.objects.filter(user=ann, kind="email_changed").count() == 2
