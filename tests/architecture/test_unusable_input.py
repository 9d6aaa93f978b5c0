"""Nonsense is refused, never a bug: at every address, in path, query, form, JSON and cookie."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django import forms
from django.test import Client
from rest_framework import serializers

from tests.architecture.addresses import all_addresses
from tests.architecture.test_permissions import CALLS
from ticketing.core.json_input import read_json

pytestmark = pytest.mark.django_db

DIGITS = "9" * 5_000
ASKED = ("q", "page", "since", "venue", "event", "last", "keep", "door", "section", "o", "next")
QUERIES = {
    "NUL": "%00",
    "digits": DIGITS,
    "a digit that is no number": "%C2%B2",
    "not UTF-8": "%FF%FE",
    "half a character": "%ED%A0%80",
}
BODIES = {
    "deep": b"[" * 10_000 + b"]" * 10_000,
    "deep enough": b'{"a":' * 500 + b"1" + b"}" * 500,
    "not closed": b'{"a": [1, 2',
    "surrogate": rb'{"a": "\ud800"}',
    "surrogate as a name": rb'{"\udfff": 1}',
    "raw surrogate": b'{"a": "\xed\xa0\x80"}',
    "NUL": rb'{"a": ["b\u0000"]}',
    "digits": b'{"a": %s}' % DIGITS.encode(),
    "20 digits": b'{"a": 99999999999999999999}',
    "not UTF-8": b'{"a": "\xff"}',
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "infinity": b'{"a": 1e999}',
    "not a number": b'{"a": NaN}',
}
SAID = {"a digit that is no number": "²", "digits": DIGITS, "NUL": "a\0b", "a list": [[[]]]}
SIGNS_OUT = ("log-out", "logout")


def subclasses(kind: type) -> list[Any]:
    kinds = [kind]
    for each in kinds:
        kinds += each.__subclasses__()
    return kinds


def form_fields() -> list[str]:
    """Of every form and every template."""
    names = {
        name for kind in subclasses(forms.BaseForm) for name in getattr(kind, "base_fields", ())
    }
    for template in Path("templates").rglob("*.html"):
        names |= set(re.findall(r'name="([\w-]+)"', template.read_text()))
    return sorted(names)


def call_fields() -> list[str]:
    kinds = subclasses(serializers.Serializer)
    return sorted({name for kind in kinds for name in getattr(kind, "_declared_fields", ())})


@pytest.fixture(scope="module")
def pages() -> list[str]:
    """Those that are not of the API; of the admin's generic pages each kind once."""
    found = [each for each in all_addresses() if not each.methods]
    generic = re.compile(r"/admin/\w+/(?!event/|user/)\w+/(?:add/|987654/.*)?$")
    return [
        each.url
        for each in found
        if not generic.match(each.url) and not any(part in each.url for part in SIGNS_OUT)
    ]


@pytest.fixture
def client(operator) -> Client:
    client = Client(raise_request_exception=False, headers={"origin": "http://testserver"})
    client.force_login(operator)
    return client


def bugs(answers: dict[Any, Any]) -> dict[Any, int]:
    return {what: it.status_code for what, it in answers.items() if it.status_code >= 500}


@pytest.mark.parametrize("kind", QUERIES)
def test_in_the_query_of_every_page(kind, client, pages):
    query = "&".join(f"{name}={QUERIES[kind]}" for name in ASKED)

    answers = {page: client.get(f"{page}?{query}") for page in pages}

    assert bugs(answers) == {}
    if kind == "NUL":
        assert {answer.status_code for answer in answers.values()} == {400}


@pytest.mark.parametrize("value", ["²", DIGITS, "a\0b"])
def test_in_the_forms_of_every_page(value, client, pages):
    form = dict.fromkeys(form_fields(), value)

    answers = {page: client.post(page, form) for page in pages}

    assert bugs(answers) == {}
    if "\0" in value:
        assert {answer.status_code for answer in answers.values()} == {400}


@pytest.mark.parametrize(
    "path",
    [
        "/media/%00",
        "/admin/ticketing/event/%00/change/",
        "/events/1/seats/%00/",
        "/%00",
        "/%FF%FE/",
    ],
)
def test_in_the_path(path, client):
    assert client.get(path).status_code in (400, 404)


@pytest.mark.parametrize("number", [10**17, 2**63, int("9" * 25)])
def test_numbers_that_no_row_has(number, client, pages):
    answers = {page: client.get(page.replace("987654", str(number))) for page in pages}

    assert bugs(answers) == {}


@pytest.mark.parametrize("kind", BODIES)
def test_in_the_json_of_every_call(kind, client):
    addresses = {each.name: each.url for each in all_addresses()}
    answers = {
        (name, method): client.generic(
            method, addresses[name], BODIES[kind], content_type="application/json"
        )
        for name, methods in CALLS.items()
        for method in methods
        if method != "GET"
    }

    assert bugs(answers) == {}
    assert answers["api_tokens", "POST"].status_code == 400
    with pytest.raises(ValueError):
        read_json(BODIES[kind])


@pytest.mark.parametrize("kind", SAID)
def test_in_every_field_of_every_call(kind, client):
    addresses = {each.name: each.url for each in all_addresses()}
    body = json.dumps(dict.fromkeys(call_fields(), SAID[kind]))
    answers = {
        (name, method): client.generic(method, addresses[name], body, "application/json")
        for name, methods in CALLS.items()
        for method in methods
    }

    assert bugs(answers) == {}


@pytest.mark.parametrize("charset", ["utf-7", "utf-16", "idna", "unicode_escape", "base64", "x"])
def test_in_an_encoding_of_the_senders_choice(charset, client):
    kind = f"application/x-www-form-urlencoded; charset={charset}"
    answer = client.generic("POST", "/accounts/sign-up/", "email=%2B2AA-&display_name=x", kind)

    assert answer.status_code < 500


@pytest.mark.parametrize("name", ["sessionid", "csrftoken", "django_language", "messages"])
@pytest.mark.parametrize("value", [r'"\000\000\000\000\000\000\000\000"', "\xff" * 40, "9" * 3_000])
def test_in_a_cookie(name, value):
    client = Client(raise_request_exception=False)

    answers = {
        path: client.get(path, headers={"cookie": f"{name}={value}"})
        for path in ("/", "/accounts/", "/api/v1/me/", "/events/1/basket/", "/admin/")
    }

    assert bugs(answers) == {}


def test_control_what_can_be_used_is_read():
    usable = {"a": "가\U0001f600", "b": [1, -(2**63) + 1, 1.5e300, None, True], "c": {"d": ["e"]}}

    assert read_json(json.dumps(usable).encode()) == usable
    assert read_json(json.dumps([{"seat": n} for n in range(200)]).encode())[199] == {"seat": 199}
