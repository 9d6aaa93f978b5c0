"""The form tokens and cookies of rendered copies are those that Django makes and accepts."""

import re

import pytest
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import (
    CSRF_ALLOWED_CHARS,
    CsrfViewMiddleware,
    _does_token_match,
    get_token,
)

from ticketing.core.fast_path import pages

SECRET = "aB3" * 10 + "zZ"
EXPIRES = re.compile(r"expires=[^;]+")


@pytest.fixture
def django_cookie(settings):
    request, response = HttpRequest(), HttpResponse()
    request.COOKIES = {settings.CSRF_COOKIE_NAME: SECRET}
    middleware = CsrfViewMiddleware(lambda request: response)
    middleware.process_request(request)
    get_token(request)
    middleware.process_response(request, response)
    return response.cookies[settings.CSRF_COOKIE_NAME].OutputString()


def test_django_accepts_every_token_and_no_two_are_alike(settings):
    tokens = [pages.csrf_token({settings.CSRF_COOKIE_NAME: SECRET})[0] for _ in range(500)]

    assert all(_does_token_match(token, SECRET) for token in tokens)
    assert not any(_does_token_match(token, SECRET[::-1]) for token in tokens)
    assert len(set(tokens)) == 500
    assert set("".join(tokens)) == set(CSRF_ALLOWED_CHARS)


def test_the_cookie_is_djangos(settings, django_cookie):
    _, cookie = pages.csrf_token({settings.CSRF_COOKIE_NAME: SECRET})

    assert EXPIRES.sub("", cookie.decode()) == EXPIRES.sub("", django_cookie)
    assert EXPIRES.search(cookie.decode())


@pytest.mark.parametrize("secure", [True, False])
def test_the_cookie_follows_the_settings(settings, secure):
    settings.CSRF_COOKIE_SECURE = secure

    assert (b"Secure" in pages.csrf_token({})[1]) == secure


def test_a_new_browser_gets_a_secret_of_its_own(settings):
    token, cookie = pages.csrf_token({})
    _, other = pages.csrf_token({})

    secret = cookie.decode().partition("=")[2].partition(";")[0]
    assert pages.CSRF_COOKIE.fullmatch(secret)
    assert _does_token_match(token, secret)
    assert other.partition(b";")[0] != cookie.partition(b";")[0]


def test_a_mask_without_enough_usable_bytes_is_drawn_again(monkeypatch):
    drawn = iter([bytes([255]) * 64, bytes(range(64))])
    monkeypatch.setattr(pages.secrets, "token_bytes", lambda size: next(drawn))

    assert _does_token_match(pages.masked(SECRET), SECRET)
