"""No token, cookie, password, address or card detail reaches a log line."""

import json
import logging

import pytest

from ticketing.core.logs.formats import JsonFormatter, PlainFormatter
from ticketing.core.logs.redaction import redact

SECRETS = {
    "an API token": ("refused tk_9aZ2fK3uPq7hLm4Xs", "9aZ2fK3uPq7hLm4Xs"),
    "a queue token": ("token qr_eyJlIjo3fQ.aGVsbG8-d29ybGQ is old", "eyJlIjo3fQ"),
    "an Authorization header": ("Authorization: Bearer abcdefgh12345678", "abcdefgh12345678"),
    "the gateway's secret": ("'Authorization': 'PortOne abcd1234efgh'", "abcd1234efgh"),
    "a webhook secret": ("signed with whsec_c2VjcmV0c2VjcmV0", "c2VjcmV0c2VjcmV0"),
    "a session cookie": ("Cookie: sessionid=q7w8e9r0t1", "q7w8e9r0t1"),
    "a cookie of a list": ("cookies {'csrftoken': 'zzTop55'}", "zzTop55"),
    "the browser's cookie": ("__Host-browser=deadbeefcafe", "deadbeefcafe"),
    "a session key alone": ("session 4k2j5h6g7f8d9s0a1q2w3e4r5t6y7u8i", "4k2j5h6g7f8d9s0a"),
    "a password": ("password='hunter2 is long'", "hunter2"),
    "a password in a URL": ("redis://:s3cret@redis.internal:6379/0", "s3cret"),
    "a user and password in a URL": ("postgresql://ann:s3cret@db/x", "s3cret"),
    "an e-mail address": ("mail to ann.lee+tag@mail.example.co.kr failed", "ann.lee"),
    "an encoded address": ("/?email=ann%40example.com", "ann"),
    "a Korean address": ("민지@예시.한국 로 보냄", "민지"),
    "a card number": ("card 4111 1111 1111 1111 declined", "1111 1111"),
    "a card number in one piece": ("pan=5555555555554444", "5555"),
    "a masked card number": ("paid with 4111-11**-****-1111", "4111"),
    "a security code": ("cvc: 123", "123"),
    "a link to a new password": (
        "GET /accounts/password/reset/MQ/cq3p0x-0123456789abcdef0123456789abcdef/",
        "0123456789abcdef",
    ),
    "a signature": (
        "?s=Zm9v:1tAbCd:5wZ8kR3mQ1xV7nB2cL9pT4yU6hJ0gF_sD-aE5iO8rW",
        "5wZ8kR3mQ1xV7nB2cL9pT4yU6hJ0gF_sD",
    ),
}
KEPT = [
    "payment 20261117-000123 is not settled yet: TIMEOUT",
    "Task queue.tick[0b5c1f2e-58d1-4c0e-9d0a-6a3f2f3f9a11] succeeded",
    "queue 1234567890123456: rebuilt from the journal, 1000000 people",
    'File "/srv/ticketing/site/payments/services/async_settlement.py", line 103, in _settle',
    "GET /api/v1/events/7/queue/ 200 1.2 ms",
    "this process is behind and refuses pages: 1200 ms late, 70 pages wait",
    "the event begins 2026-11-17T21:38:27.123+09:00",
]


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize("formatter", [PlainFormatter(), JsonFormatter()])
def test_a_line_does_not_contain(name, formatter):
    text, secret = SECRETS[name]
    record = logging.LogRecord("x", logging.ERROR, "x.py", 1, "it said: %s", (text,), None)

    assert secret not in formatter.format(record)


@pytest.mark.parametrize("formatter", [PlainFormatter(), JsonFormatter()])
def test_nor_does_the_text_of_an_exception(formatter):
    try:
        raise ValueError("ann@example.com sent tk_9aZ2fK3uPq7hLm4Xs")
    except ValueError as error:
        caught = (type(error), error, error.__traceback__)
    record = logging.LogRecord("x", logging.ERROR, "x.py", 1, "failed", (), caught)

    line = formatter.format(record)

    assert "ValueError" in line
    assert "ann@" not in line
    assert "9aZ2" not in line


@pytest.mark.parametrize("text", KEPT)
def test_what_is_no_secret_stays(text):
    assert redact(text) == text


def test_control_without_the_rules_the_secret_is_there(monkeypatch):
    monkeypatch.setattr("ticketing.core.logs.redaction.RULES", [])
    record = logging.LogRecord("x", logging.ERROR, "x.py", 1, "tk_9aZ2fK3uPq7hLm4Xs", (), None)

    assert "9aZ2" in json.loads(JsonFormatter().format(record))["message"]
