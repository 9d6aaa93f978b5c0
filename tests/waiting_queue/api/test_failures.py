"""Redis away, bugs of ours: calm answers, and nothing given away."""

import logging

import pytest

from tests.waiting_queue.api.conftest import Fan
from waiting_queue.api import calls

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("url", ["redis://127.0.0.1:1/0", "redis+cluster://127.0.0.1:1"])
async def test_without_redis_every_call_is_a_503(ann: Fan, settings, url):
    token = (await ann.join()).json()["token"]
    settings.QUEUE_REDIS_URL = url

    answers = [await ann.join(), await ann.poll(token=token), await ann.claim(), await ann.leave()]

    assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {
        (503, "unavailable")
    }
    assert {answer.headers["retry-after"] for answer in answers} == {"5"}


async def test_when_redis_is_back_so_is_everybodys_number(ann: Fan, settings):
    reached = settings.QUEUE_REDIS_URL
    token = (await ann.join()).json()["token"]
    settings.QUEUE_REDIS_URL = "redis://127.0.0.1:1/0"
    away = await ann.poll(token=token)
    settings.QUEUE_REDIS_URL = reached

    assert away.status_code == 503
    assert (await ann.poll(token=token)).json()["number"] == 1


async def test_a_bug_is_logged_and_gives_nothing_away(ann: Fan, monkeypatch, caplog):
    async def broken(**arguments):
        raise ZeroDivisionError("the secret is 42")

    monkeypatch.setattr(calls.STANDING, "aservice", broken)
    with caplog.at_level(logging.ERROR):
        answer = await ann.poll()

    assert (answer.status_code, answer.json()["code"]) == (500, "server_error")
    assert "42" not in answer.text
    assert "ZeroDivisionError" in caplog.text
