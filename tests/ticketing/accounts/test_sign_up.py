from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from threading import Barrier

import pytest
from django.core import mail
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tests.making import PASSWORD
from tests.ticketing.accounts.conftest import is_logged_in, new_browser
from tests.ticketing.accounts.test_password_reset import link_in_mail
from tests.waiting_queue.challenges import solution_of
from ticketing.accounts import rate_limits, services
from ticketing.accounts.errors import EmailTaken
from ticketing.accounts.models import User
from ticketing.accounts.selectors import caller
from ticketing.accounts.services import addresses

SIGN_UP = "/accounts/sign-up/"


def typed(**more: str) -> dict[str, str]:
    return {"display_name": "Cem", "password1": PASSWORD, "password2": PASSWORD} | more


def asked(browser: Client, email: str = "Cem@Example.com", query: str = "", **more: str) -> str:
    """Sign up with an address; the path of the link that was mailed there."""
    browser.post(SIGN_UP + query, {"email": email, **more})
    return link_in_mail()


def test_the_mailed_link_makes_an_account_and_logs_in(db: None, browser: Client, worker: None):
    link = asked(browser)
    assert not User.objects.exists()

    response = browser.post(link, typed())

    cem = User.objects.get(email="cem@example.com")
    assert mail.outbox[0].to == ["cem@example.com"]
    assert response.url == reverse("ticketing:home")
    assert browser.session["_auth_user_id"] == str(cem.pk)
    assert cem.password.startswith("argon2")
    assert cem.is_confirmed
    assert caller(browser.session.session_key).is_confirmed


def test_nobody_gets_an_account_without_the_mail(db: None, browser: Client):
    sent = {"email": "cem@example.com", **typed()}

    browser.post(SIGN_UP, sent)
    browser.post(f"{SIGN_UP}nonsense/", sent)

    assert not User.objects.exists()
    assert not is_logged_in(browser)


def test_known_and_unknown_addresses_get_the_same_answer(
    ann: User, browser: Client, django_assert_num_queries
):
    with django_assert_num_queries(0):
        known = browser.post(SIGN_UP, {"email": "ANN@example.com"})
        unknown = browser.post(SIGN_UP, {"email": "cem@example.com"})

    assert (known.status_code, known.url) == (unknown.status_code, unknown.url)
    assert browser.get(known.url).status_code == 200


def test_who_has_an_account_is_told_in_the_mail(ann: User, browser: Client, worker: None):
    browser.post(SIGN_UP, {"email": "ANN@example.com"})

    assert mail.outbox[0].to == [ann.email]
    assert "already have an account" in mail.outbox[0].subject
    assert "/sign-up/" not in mail.outbox[0].body


def test_the_link_is_for_its_address_only(db: None, browser: Client, worker: None):
    browser.post(asked(browser), typed(email="victim@example.com"))

    assert User.objects.get().email == "cem@example.com"


def test_the_link_makes_one_account(db: None, browser: Client, worker: None):
    link = asked(browser)
    browser.post(link, typed())

    again = new_browser().post(link, typed(display_name="Dan"))

    assert list(again.context["form"].errors) == ["email"]
    assert User.objects.get().display_name == "Cem"


def test_the_link_ends_after_a_day(db: None, browser: Client, worker: None, monkeypatch):
    link = asked(browser)
    monkeypatch.setattr(addresses, "LINK_LASTS", timedelta(seconds=-1))

    assert browser.get(link).status_code == 400
    assert browser.post(link, typed()).status_code == 400
    assert not User.objects.exists()


def test_nobody_signs_up_as_staff(db: None, browser: Client, worker: None):
    browser.post(asked(browser), typed(is_staff="on", is_superuser="on"))

    assert not User.objects.get().is_staff
    assert not User.objects.get().is_superuser


def test_after_sign_up_one_goes_on_where_one_was(db: None, browser: Client, worker: None):
    link = asked(browser, query="?next=/accounts/")

    assert browser.post(link, typed()).url == "/accounts/"


def test_sign_up_never_leads_to_another_site(db: None, browser: Client, worker: None):
    link = asked(browser, query="?next=//evil.example/", next="https://evil.example")

    assert browser.post(link, typed()).url == reverse("ticketing:home")


@pytest.mark.parametrize("password", ["short", "12345678901", "password123"])
def test_weak_passwords_are_refused(db: None, browser: Client, worker: None, password: str):
    response = browser.post(asked(browser), typed(password1=password, password2=password))

    assert "password2" in response.context["form"].errors
    assert not is_logged_in(browser)


def test_password_managers_know_the_fields(db: None, browser: Client, worker: None):
    page = browser.get(asked(browser)).content.decode()

    assert page.count('autocomplete="new-password"') == 2
    assert 'autocomplete="username"' in page


def test_nobodys_inbox_is_filled(db: None, browser: Client):
    answers = [
        browser.post(SIGN_UP, {"email": "cem@example.com"}).status_code
        for _ in range(rate_limits.MAILS_FOR.limit + 1)
    ]

    assert answers == [302] * rate_limits.MAILS_FOR.limit + [429]


def test_one_address_may_not_sign_up_without_end(db: None, browser: Client):
    for _ in range(rate_limits.SIGN_UP.limit):
        assert browser.post(SIGN_UP, {}).status_code == 200

    assert browser.post(SIGN_UP, {"email": "cem@example.com"}).status_code == 429


def test_without_redis_nobody_signs_up(db: None, redis_down):
    with redis_down():
        assert new_browser().post(SIGN_UP, {"email": "cem@example.com"}).status_code == 503
    assert not User.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_for_one_address_one_gets_it(now: datetime):
    together = Barrier(6)

    def sign_up(n: int) -> bool:
        together.wait()
        try:
            email = "cem@example.com" if n % 2 else "CEM@example.com"
            services.sign_up(email=email, password=PASSWORD, display_name=f"Cem {n}", now=now)
        except EmailTaken:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(6) as pool:
        outcomes = list(pool.map(sign_up, range(6)))

    assert sorted(outcomes) == [False] * 5 + [True]
    assert User.objects.count() == 1


def signed_up(browser: Client, email: str = "cem@example.com", solution: str = "") -> HttpResponse:
    return browser.post(SIGN_UP, {"email": email, "solution": solution})


def many_sign_ups() -> None:
    for _ in range(rate_limits.SIGN_UP_CALM.limit):
        services.sign_up_level("127.0.0.1")


def test_when_calm_nobody_is_challenged(db: None, browser: Client, worker: None):
    assert signed_up(browser).status_code == 302


def test_many_sign_ups_of_one_range_are_challenged(db: None, browser: Client, worker: None):
    many_sign_ups()

    asked = signed_up(browser)
    assert (asked.status_code, mail.outbox) == (403, [])
    assert b"altcha" in asked.content
    solution = solution_of(asked.context["challenge"])
    assert signed_up(browser, "other@example.com", solution).status_code == 403
    assert signed_up(browser, solution=solution).status_code == 302
    assert signed_up(browser, solution=solution).status_code == 403  # used once
    assert len(mail.outbox) == 1


def test_without_a_script_one_waits_instead(db: None, browser: Client, worker: None):
    many_sign_ups()
    wait = signed_up(browser).context["challenge"]["wait"]

    early = signed_up(browser, solution=wait["token"])

    assert early.status_code == 403
    assert early.context["challenge"]["wait"]["token"] == wait["token"]


def test_sign_ups_with_one_browser_are_bounded(db: None, browser: Client, worker: None):
    browser.cookies["browser"] = "b" * 22
    for _ in range(rate_limits.SIGN_UP_DEVICE.limit):
        assert browser.post(SIGN_UP, {}).status_code == 200

    assert browser.post(SIGN_UP, {}).status_code == 429
