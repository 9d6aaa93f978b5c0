"""What tells one browser of a person from another."""

import pytest
from django.http import HttpResponse
from django.http.cookie import SimpleCookie

from ticketing.core.browsers import browser_of

COOKIE = "AbCdEfGhIjKlMnOpQrStU_"


def by_cookie(value, name="browser"):
    return browser_of({"cookie": f"sessionid=x; {name}={value}"})


def test_a_browser_is_known_by_the_cookie_that_it_was_given():
    new = browser_of({"cookie": "sessionid=x"})
    (cookie,) = SimpleCookie(new.headers["Set-Cookie"]).values()

    again = by_cookie(cookie.value)

    assert (again.mark, again.known_mark, again.headers) == (new.mark, new.mark, {})
    assert new.known_mark == ""


def test_two_new_browsers_differ():
    assert browser_of({}).mark != browser_of({}).mark


def test_the_cookie_is_for_this_site_alone_and_not_for_scripts(settings):
    settings.SESSION_COOKIE_SECURE, settings.BROWSER_COOKIE_NAME = True, "__Host-browser"

    new = browser_of({})
    (cookie,) = SimpleCookie(new.headers["Set-Cookie"]).values()

    assert new.remember(HttpResponse()).cookies == {"__Host-browser": cookie}
    assert cookie.key == "__Host-browser"
    assert (cookie["path"], cookie["domain"], cookie["samesite"]) == ("/", "", "Lax")
    assert cookie["httponly"]
    assert cookie["secure"]


@pytest.mark.parametrize("value", ["", "short", COOKIE + "x", "é" * 22, "a:b" * 7 + "a", "{}" * 11])
def test_a_cookie_that_is_not_ours_is_replaced(value):
    assert by_cookie(value).new_cookie


def test_another_cookie_whose_name_contains_ours_is_not_taken_for_it():
    assert by_cookie(COOKIE, name="otherbrowser").new_cookie


def test_a_program_is_known_by_its_bearer_token_and_gets_no_cookie():
    one, same = (browser_of({"authorization": f"{kind} tk_1"}) for kind in ("Bearer", "bearer"))
    other = browser_of({"authorization": "Bearer tk_2"})

    assert (one, one.known_mark, one.headers) == (same, one.mark, {})
    assert one.mark != other.mark


def test_a_cookie_comes_before_a_bearer_token():
    """A page polls with its queue token, which changes."""
    with_token = browser_of({"cookie": f"browser={COOKIE}", "authorization": "Bearer qr_1"})

    assert with_token == by_cookie(COOKIE)


def test_the_mark_does_not_tell_the_cookie():
    assert by_cookie(COOKIE).mark not in COOKIE
