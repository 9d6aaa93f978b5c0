from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from threading import Barrier

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from tests.making import PASSWORD
from tests.ticketing.accounts.conftest import is_logged_in, new_browser
from ticketing.accounts import rate_limits, services
from ticketing.accounts.errors import EmailTaken
from ticketing.accounts.models import User

SIGN_UP = "/accounts/sign-up/"


def typed(**more: str) -> dict[str, str]:
    defaults = {"email": "Cem@Example.com", "display_name": "Cem"}
    return defaults | {"password1": PASSWORD, "password2": PASSWORD} | more


def test_signing_up_makes_an_account_and_logs_in(db: None, browser: Client):
    response = browser.post(SIGN_UP, typed())

    cem = User.objects.get(email="cem@example.com")
    assert response.url == reverse("ticketing:home")
    assert browser.session["_auth_user_id"] == str(cem.pk)
    assert cem.password.startswith("argon2")


def test_nobody_signs_up_as_staff(db: None, browser: Client):
    browser.post(SIGN_UP, typed(is_staff="on", is_superuser="on"))

    assert not User.objects.get().is_staff
    assert not User.objects.get().is_superuser


def test_after_sign_up_one_goes_on_where_one_was(db: None, browser: Client):
    assert browser.post(f"{SIGN_UP}?next=/accounts/", typed()).url == "/accounts/"


def test_sign_up_never_leads_to_another_site(db: None, browser: Client):
    response = browser.post(f"{SIGN_UP}?next=//evil.example/", typed(next="https://evil.example"))

    assert response.url == reverse("ticketing:home")


def test_an_address_in_other_capitals_is_the_same_address(ann: User, browser: Client):
    response = browser.post(SIGN_UP, typed(email="ANN@example.com"))

    assert list(response.context["form"].errors) == ["email"]
    assert User.objects.count() == 1


@pytest.mark.parametrize("password", ["short", "12345678901", "password123"])
def test_weak_passwords_are_refused(db: None, browser: Client, password: str):
    response = browser.post(SIGN_UP, typed(password1=password, password2=password))

    assert "password2" in response.context["form"].errors
    assert not is_logged_in(browser)


def test_password_managers_know_the_fields(db: None, browser: Client):
    page = browser.get(SIGN_UP).content.decode()

    assert page.count('autocomplete="new-password"') == 2
    assert 'autocomplete="username"' in page


def test_one_address_may_not_make_accounts_without_end(db: None, browser: Client):
    for _ in range(rate_limits.SIGN_UP.limit):
        assert browser.post(SIGN_UP, {}).status_code == 200

    assert browser.post(SIGN_UP, typed()).status_code == 429
    assert not User.objects.exists()


def test_without_redis_nobody_signs_up(db: None, redis_down):
    with redis_down():
        assert new_browser().post(SIGN_UP, typed()).status_code == 503
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
