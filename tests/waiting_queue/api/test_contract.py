"""One contract: the fast path, the ordinary views and the OpenAPI document say the same."""

import json
from dataclasses import replace
from io import StringIO
from typing import Any

import httpx
import pytest
from asgiref.sync import sync_to_async
from django.core.management import call_command
from django.test import Client

from tests.waiting_queue.api.conftest import OWN, Fan, call_everybody
from waiting_queue.models import SaleQueue
from waiting_queue.store import Standing

pytestmark = pytest.mark.django_db(transaction=True)
CHANGING = {"next_poll_ms", "server_time", "deadline"}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    out = StringIO()
    call_command(
        *("spectacular", "--validate", "--fail-on-warn", "--format", "openapi-json"), stdout=out
    )
    return json.loads(out.getvalue())


QUEUE = "/api/v1/events/{event_id}/queue/"
CALLS = [(QUEUE, "get"), (QUEUE, "post"), (QUEUE, "delete"), (f"{QUEUE}claim/", "post")]


@pytest.mark.parametrize(("path", "method"), CALLS)
def test_each_call_is_documented_with_examples_errors_and_security(document, path, method):
    call = document["paths"][path][method]

    assert {"session": []} in call["security"]
    assert ({"queue_token": []} in call["security"]) == (call["operationId"] != "join_queue")
    assert {"200", "401", "404", "409", "503"} <= set(call["responses"])
    for status, response in call["responses"].items():
        content = response["content"]["application/json"]
        assert content["examples"]
        assert content["schema"]["$ref"].endswith("/Error") == (status >= "400")


def test_the_document_names_every_field_that_is_told(document):
    """Everybody is told those that are required; few people have the others."""
    from tests.waiting_queue.api.test_estimates import WAITING

    described = document["components"]["schemas"]["Standing"]
    with_all = replace(WAITING, leader="1", party_size=2, demoted_why="many accounts")

    assert set(described["required"]) == told(WAITING)
    assert set(described["properties"]) == told(with_all)


def told(standing: Standing) -> set[str]:
    from tests.waiting_queue.api.test_estimates import NOW
    from waiting_queue.selectors import standing_body

    return set(standing_body(event_id=7, person="1", standing=standing, now=NOW, jitter=0.5))


class Pages:
    """The same calls through Django's own handler, as under a plain WSGI server."""

    def __init__(self, fan: Fan) -> None:
        self.fan, self.client = fan, Client(headers={"host": "testserver"})
        self.client.cookies["sessionid"] = fan.session

    def ask(self, method: str, path: str = "", **headers: str) -> Any:
        address = f"/api/v1/events/{self.fan.event_id}/queue/{path}"
        sent = {"origin": OWN, "accept-language": "en"} | headers
        return self.client.generic(method, address, headers=sent)


def same(fast: httpx.Response, page: Any) -> bool:
    told, other = fast.json(), page.json()
    for name in CHANGING & told.keys():
        told.pop(name), other.pop(name)
    return (fast.status_code, told) == (page.status_code, other)


async def test_both_ways_give_the_same_answers(ann: Fan, paused: SaleQueue):
    pages = Pages(ann)
    ask = sync_to_async(pages.ask)

    assert same(await ann.poll(), await ask("GET"))
    assert same(await ann.claim(), await ask("POST", "claim/"))
    joined = await ask("POST")
    assert joined.status_code == 201
    assert same(await ann.join(), await ask("POST"))
    bearer = f"Bearer {joined.json()['token']}"
    assert same(await ann.poll(token=bearer[7:]), await ask("GET", authorization=bearer))
    await sync_to_async(call_everybody)(paused)
    assert same(await ann.claim(), await ask("POST", "claim/"))
    assert (await ask("DELETE")).json() == {"was": "admitted"}
    assert same(await ann.leave(), await ask("DELETE"))


async def test_both_ways_refuse_the_same(ann: Fan):
    pages = Pages(ann)
    ask = sync_to_async(pages.ask)
    evil = {"origin": "https://evil.example"}

    assert same(await ann.join(**evil), await ask("POST", **evil))
    assert same(await ann.poll(token="qr_x"), await ask("GET", authorization="Bearer qr_x"))
    page = await ask("GET", authorization="Bearer qr_x")
    assert page.headers["WWW-Authenticate"].startswith("Bearer")
    assert page.headers["Cache-Control"] == "no-store"
    ann.event_id = 999_999
    assert same(await ann.poll(), await ask("GET"))
