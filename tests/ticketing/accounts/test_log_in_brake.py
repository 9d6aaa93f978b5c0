"""Guessing one account's password from many addresses, breached passwords, the security log."""

import gzip
import hashlib
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from django.conf import settings as site
from django.contrib.auth.password_validation import validate_password
from django.core import mail
from django.core.exceptions import ValidationError
from django.test import Client

from tests.making import PASSWORD
from tests.ticketing.accounts.conftest import logged_in, new_browser
from tests.ticketing.accounts.test_log_in_pause import at_the_api, at_the_page, every_entry
from tests.ticketing.accounts.test_password_reset import NEW, link_in_mail
from ticketing.accounts import rate_limits, services
from ticketing.accounts.models import SecurityEvent, User
from ticketing.core import clock

LIST = Path(site.BASE_DIR) / "ticketing/accounts/data/breached-passwords.txt.gz"
LEAKED = "correct-horse-battery"


def guess(email: str = "ann@example.com", log_in: Callable = at_the_page, times: int = 0) -> None:
    """Wrong passwords, each from another address, so that no pause of one address begins."""
    for n in range(times or rate_limits.FAILURES.limit):
        log_in(new_browser(), email, "wrong", REMOTE_ADDR=f"198.51.{n // 250}.{n % 250}")


def from_elsewhere(client: Client, **more: str):
    return at_the_page(client, "ann@example.com", PASSWORD, REMOTE_ADDR="203.0.113.7", **more)


@every_entry
def test_guessing_from_many_addresses_ends(ann: User, log_in: Callable):
    guess(log_in=log_in)

    answer = log_in(new_browser(), ann.email, PASSWORD, REMOTE_ADDR="203.0.113.7")

    assert answer.status_code == 429
    assert 0 < int(answer["Retry-After"]) <= rate_limits.FAILURES.seconds


def test_a_few_failures_change_nothing(ann: User):
    guess(times=rate_limits.FAILURES.limit - 1)

    assert from_elsewhere(new_browser()).status_code == 302


def test_a_device_that_has_logged_in_before_is_not_affected(ann: User, ben: User):
    known = new_browser()
    at_the_page(known, ann.email, PASSWORD)
    known.post("/accounts/log-out/")
    guess()

    assert from_elsewhere(known).status_code == 302
    known.post("/accounts/log-out/")
    guess(ben.email)
    assert at_the_page(known, ben.email, PASSWORD).status_code == 429


def test_the_owner_of_a_new_device_opens_the_mailed_link(ann: User):
    guess()
    new, stranger = new_browser(), new_browser()
    services.mail_notices(now=clock.now())
    assert [sent.to for sent in mail.outbox] == [["ann@example.com"]]  # one, not twenty

    link = link_in_mail()
    assert new.get(link).status_code == 200
    assert new.post(link).url == "/accounts/log-in/"

    assert from_elsewhere(new).status_code == 302
    assert from_elsewhere(stranger).status_code == 429


def test_a_known_device_is_forgotten_with_the_password(ann: User):
    known = new_browser()
    at_the_page(known, ann.email, PASSWORD)
    known.post("/accounts/log-out/")
    ann.set_password(NEW)
    ann.save()
    guess()

    assert at_the_page(known, ann.email, NEW).status_code == 429


def test_known_and_unknown_addresses_are_braked_alike(ann: User):
    guess()
    guess("nobody@example.com")

    answers = [
        at_the_api(new_browser(), email, "wrong", REMOTE_ADDR="203.0.113.7").json()["code"]
        for email in (ann.email, "nobody@example.com")
    ]

    assert answers == ["new_device", "new_device"]


# -- the security log ------------------------------------------------------------------------------


def test_the_log_is_searched_by_person_and_address(ann: User, ben: User, operator: User):
    at_the_page(new_browser(), ann.email, "wrong", REMOTE_ADDR="198.51.100.4")
    at_the_page(new_browser(), ben.email, "wrong", REMOTE_ADDR="198.51.100.5")
    office = logged_in(operator)

    for words in (ann.email, "198.51.100.4"):
        page = office.get("/admin/accounts/securityevent/", {"q": words})
        (row,) = page.context["cl"].result_list
        assert (row.user, row.kind, row.origin) == (ann, "log_in_failed", "198.51.100.4")
    assert office.get(f"/admin/accounts/securityevent/{row.pk}/change/").status_code == 200
    assert office.post(f"/admin/accounts/securityevent/{row.pk}/delete/").status_code == 403


def test_guessing_does_not_fill_the_log(ann: User):
    guess(times=rate_limits.FAILURES.limit + 5)

    assert SecurityEvent.objects.filter(user=ann).count() == rate_limits.FAILURES.limit


# -- breached passwords ----------------------------------------------------------------------------


@pytest.mark.parametrize("password", ["berserker", "bettyboo", "Password123"])
def test_passwords_of_the_shipped_list_are_refused(password: str):
    with pytest.raises(ValidationError):
        validate_password(password)


def test_the_list_is_complete_and_lower_case():
    words = gzip.open(LIST, "rt").read().split()

    assert len(words) > 15_000
    assert words == [word.lower() for word in words]


@pytest.fixture
def leaks(settings):
    """A service that knows one leaked password, and answers with padding."""
    digest = hashlib.sha1(LEAKED.encode()).hexdigest().upper()
    asked: list[str] = []

    class Service(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            rows = [f"{'0' * 35}:0", *([f"{digest[5:]}:7"] if digest[:5] in self.path else [])]
            self.send_response(200)
            self.end_headers()
            self.wfile.write("\r\n".join(rows).encode())

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    Thread(target=server.serve_forever, daemon=True).start()
    settings.LEAKED_PASSWORDS_URL = f"http://127.0.0.1:{server.server_port}/range"
    yield asked
    server.shutdown()
    server.server_close()


def test_a_service_is_asked_where_one_is_set(leaks: list[str]):
    with pytest.raises(ValidationError) as refusal:
        validate_password(LEAKED)
    validate_password(NEW)

    assert [error.code for error in refusal.value.error_list] == ["password_leaked"]
    assert [len(path) for path in leaks] == [len("/range/") + 5] * 2  # never more of the hash


def test_without_its_answer_the_password_is_accepted(settings):
    settings.LEAKED_PASSWORDS_URL = "http://127.0.0.1:1/range"

    validate_password(LEAKED)
