import json
import re

import pytest
from django.conf import settings
from django.core import mail
from django.test import Client

from tests.ticketing.accounts.conftest import is_logged_in, logged_in
from tests.ticketing.accounts.test_log_in_pause import at_the_page, fail_to_the_limit
from ticketing.accounts import rate_limits, services
from ticketing.accounts.models import User
from ticketing.core import redis

RESET = "/accounts/password/reset/"
NEW = "quite-another-passphrase"


def link_in_mail() -> str:
    return re.search(rf"{re.escape(settings.SITE_URL)}(/\S+)", mail.outbox[-1].body)[1]


def follow(client: Client, link: str) -> str:
    """The page that the link leads to, without the token in its address."""
    response = client.get(link)
    return response.url if response.status_code == 302 else link


def test_the_mail_leads_to_a_new_password(ann: User, browser: Client, worker: None):
    browser.post(RESET, {"email": "ANN@example.com"})
    page = follow(browser, link_in_mail())
    done = browser.post(page, {"new_password1": NEW, "new_password2": NEW})

    assert mail.outbox[0].to == ["ann@example.com"]
    assert done.url == "/accounts/password/reset/complete/"
    assert browser.get(done.url).status_code == 200
    assert at_the_page(browser, "ann@example.com", NEW).status_code == 302


@pytest.mark.parametrize("host", ["localhost:8443", "127.0.0.1:1", "localhost"])
def test_the_link_leads_to_the_site_whatever_the_request_said(
    ann: User, browser: Client, worker: None, settings, host: str
):
    settings.SITE_URL = "https://tickets.example.com"

    browser.post(RESET, {"email": ann.email}, headers={"host": host})

    links = re.findall(r"https?://\S+/password/reset/\S+", mail.outbox[0].body)
    assert links
    assert all(link.startswith("https://tickets.example.com/accounts/") for link in links)


def test_a_link_works_once(ann: User, browser: Client, worker: None):
    browser.post(RESET, {"email": ann.email})
    link = link_in_mail()
    browser.post(follow(browser, link), {"new_password1": NEW, "new_password2": NEW})

    page = browser.get(link)

    assert "already been used" in page.content.decode()


def test_a_new_password_ends_every_log_in(ann: User, browser: Client, worker: None):
    elsewhere = logged_in(ann)
    browser.post(RESET, {"email": ann.email})

    browser.post(follow(browser, link_in_mail()), {"new_password1": NEW, "new_password2": NEW})

    assert not is_logged_in(elsewhere)


def test_a_new_password_ends_the_pause(ann: User, browser: Client, worker: None):
    fail_to_the_limit(at_the_page, browser)
    browser.post(RESET, {"email": ann.email})

    browser.post(follow(browser, link_in_mail()), {"new_password1": NEW, "new_password2": NEW})

    assert at_the_page(browser, ann.email, NEW).status_code == 302


def test_the_page_does_the_same_for_known_and_unknown_addresses(
    ann: User, browser: Client, django_assert_num_queries
):
    with django_assert_num_queries(0):
        known = browser.post(RESET, {"email": ann.email})
        unknown = browser.post(RESET, {"email": "nobody@example.com"})

    assert known.status_code == unknown.status_code == 302
    assert known.url == unknown.url == "/accounts/password/reset/sent/"
    assert not mail.outbox
    assert browser.get(known.url).status_code == 200


def test_the_work_goes_to_the_worker(ann: User, browser: Client):
    browser.post(RESET, {"email": ann.email})

    message = json.loads(redis.client().lindex("mail", 0))
    assert message["headers"]["task"] == "accounts.mail_password_reset"


@pytest.mark.parametrize("change", [{"is_active": False}, {"password": "!unusable"}])
def test_no_mail_for_those_who_may_not_log_in(ann: User, change: dict):
    User.objects.filter(pk=ann.pk).update(**change)

    sent = services.mail_password_reset(email=ann.email, language="en")

    assert not sent
    assert not mail.outbox


def test_nobodys_inbox_is_filled(ann: User, browser: Client):
    for _ in range(rate_limits.RESET_FOR.limit):
        assert browser.post(RESET, {"email": ann.email}).status_code == 302

    assert browser.post(RESET, {"email": "ANN@Example.com"}).status_code == 429
    assert browser.post(RESET, {"email": "nobody@example.com"}).status_code == 302


def test_an_unknown_address_meets_the_same_limit(db: None, browser: Client):
    answers = [
        browser.post(RESET, {"email": "nobody@example.com"}).status_code
        for _ in range(rate_limits.RESET_FOR.limit + 1)
    ]

    assert answers == [302] * rate_limits.RESET_FOR.limit + [429]


def test_without_redis_there_is_a_503(db: None, browser: Client, redis_down):
    with redis_down():
        assert browser.post(RESET, {"email": "ann@example.com"}).status_code == 503
