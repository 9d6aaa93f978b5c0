"""Wrong passwords for one e-mail from one address bring a pause, at every log-in entry."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client

from tests.making import PASSWORD
from tests.ticketing.accounts.conftest import is_logged_in, new_browser
from ticketing.accounts import rate_limits
from ticketing.accounts.models import User

HOUR = 3600


def at_the_page(client: Client, email: str, password: str, **extra: str):
    return client.post("/accounts/log-in/", {"username": email, "password": password}, **extra)


def at_the_admin(client: Client, email: str, password: str, **extra: str):
    return client.post("/admin/login/", {"username": email, "password": password}, **extra)


def at_the_api(client: Client, email: str, password: str, **extra: str):
    sent = {"email": email, "password": password, "name": "test"}
    as_json = {"content_type": "application/json", "headers": {"accept": "application/json"}}
    return client.post("/api/v1/tokens/", sent, **as_json, **extra)


ENTRIES = [at_the_page, at_the_admin, at_the_api]
every_entry = pytest.mark.parametrize("log_in", ENTRIES)


def fail_to_the_limit(log_in: Callable, client: Client, email: str = "ann@example.com"):
    for _ in range(settings.AXES_FAILURE_LIMIT):
        answer = log_in(client, email, "wrong")
    return answer


@every_entry
def test_the_last_failure_brings_a_pause_that_says_how_long(ann: User, browser: Client, log_in):
    answer = fail_to_the_limit(log_in, browser)

    assert answer.status_code == 429
    assert HOUR - 60 < int(answer["Retry-After"]) <= HOUR


def test_a_pause_is_shown_in_minutes(ann: User, browser: Client):
    answer = fail_to_the_limit(at_the_page, browser)

    assert "You can try again in 60 minutes." in answer.content.decode()


@every_entry
def test_during_a_pause_the_right_password_does_not_help(ann: User, browser: Client, log_in):
    fail_to_the_limit(log_in, browser)

    assert log_in(browser, "ann@example.com", PASSWORD).status_code == 429
    assert not is_logged_in(browser)


@every_entry
def test_one_failure_fewer_brings_no_pause(operator: User, browser: Client, log_in):
    for _ in range(settings.AXES_FAILURE_LIMIT - 1):
        log_in(browser, operator.email, "wrong")

    assert log_in(browser, operator.email, PASSWORD).status_code in (201, 302)


def test_a_pause_counts_at_every_entry(ann: User, browser: Client):
    fail_to_the_limit(at_the_api, browser)

    answers = [log_in(browser, "ann@example.com", PASSWORD).status_code for log_in in ENTRIES]

    assert answers == [429, 429, 429]


def test_failures_at_different_entries_and_in_different_capitals_add_up(ann: User, browser: Client):
    tries = [
        at_the_page(browser, "ann@example.com", "wrong"),
        at_the_admin(browser, "ANN@example.com", "wrong"),
        at_the_api(browser, "Ann@Example.com", "wrong"),
        at_the_page(browser, " aNN@example.com ", "wrong"),
        at_the_api(browser, "ann@EXAMPLE.com", "wrong"),
    ]

    assert [answer.status_code for answer in tries] == [200, 200, 401, 200, 429]


def test_a_pause_is_for_one_person_at_one_address(ann: User, ben: User, browser: Client):
    fail_to_the_limit(at_the_page, browser)

    assert at_the_page(new_browser(), "ben@example.com", PASSWORD).status_code == 302
    elsewhere = at_the_page(new_browser(), "ann@example.com", PASSWORD, REMOTE_ADDR="10.0.0.9")
    assert elsewhere.status_code == 302


def test_a_good_log_in_resets_the_failures_before_it(ann: User, browser: Client):
    for _ in range(settings.AXES_FAILURE_LIMIT - 1):
        at_the_page(browser, "ann@example.com", "wrong")
    at_the_page(browser, "ann@example.com", PASSWORD)

    assert at_the_page(new_browser(), "ann@example.com", "wrong").status_code == 200


def test_further_attempts_do_not_make_the_pause_longer(ann: User, browser: Client, settings):
    settings.AXES_COOLOFF_TIME = timedelta(seconds=100)
    fail_to_the_limit(at_the_page, browser)
    settings.AXES_COOLOFF_TIME = timedelta(seconds=1000)

    assert int(at_the_page(browser, "ann@example.com", "wrong")["Retry-After"]) <= 100


def test_people_get_a_page_and_programs_json(ann: User, browser: Client):
    page = fail_to_the_limit(at_the_page, browser)
    json = at_the_api(browser, "ann@example.com", "wrong").json()

    assert "paused" in page.content.decode()
    assert json["code"] == "log_in_paused"


@every_entry
def test_one_address_may_not_try_one_password_on_everybody(
    db: None, browser: Client, log_in, monkeypatch
):
    """Different e-mails never reach the pause; the rate limit of their IP address stops them."""
    monkeypatch.setattr(rate_limits, "LOG_IN", replace(rate_limits.LOG_IN, limit=20))
    answers = [log_in(browser, f"fan{n}@example.com", "wrong").status_code for n in range(20 + 1)]

    assert 429 not in answers[:-1]
    assert answers[-1] == 429


@every_entry
def test_without_redis_nobody_can_log_in(ann: User, browser: Client, redis_down, log_in):
    with redis_down():
        answer = log_in(browser, "ann@example.com", PASSWORD)

    assert answer.status_code == 503
    assert answer["Retry-After"]
    assert not is_logged_in(browser)


@every_entry
def test_without_the_failure_counter_nobody_can_log_in_either(
    ann: User, browser: Client, redis_down, log_in, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("ticketing.core.throttle.throttle", lambda *args: None)

    with redis_down():
        assert log_in(browser, "ann@example.com", PASSWORD).status_code == 503
    assert not is_logged_in(browser)
