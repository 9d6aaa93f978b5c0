"""The OpenAPI document is valid, and the API does what it says."""

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def document() -> dict:
    out = StringIO()
    call_command(
        *("spectacular", "--validate", "--fail-on-warn", "--format", "openapi-json"), stdout=out
    )
    return json.loads(out.getvalue())


def test_it_is_valid_without_warnings_and_says_how_to_log_in(document: dict) -> None:
    assert document["openapi"].startswith("3.")
    assert len(document["components"]["securitySchemes"]) >= 2


@pytest.mark.parametrize("path", ["events/", "events/{event_id}/", "events/{event_id}/seats/"])
def test_each_answer_has_an_example_and_its_errors(document: dict, path: str) -> None:
    responses = document["paths"][f"/api/v1/{path}"]["get"]["responses"]

    assert responses["200"]["content"]["application/json"]["examples"]
    for status in responses.keys() - {"200", "304"}:
        schema = responses[status]["content"]["application/json"]["schema"]
        assert schema["$ref"].endswith("/Error")
    assert "503" in responses


def test_it_is_served_to_everybody(client: Client) -> None:
    answer = client.get("/api/v1/schema/", headers={"accept": "application/vnd.oai.openapi+json"})

    assert answer.status_code == 200
    assert "/api/v1/events/{event_id}/seats/" in json.loads(answer.content)["paths"]


def test_the_page_for_people_relaxes_only_styles(client: Client) -> None:
    answer = client.get("/api/v1/docs/")

    policy = answer["Content-Security-Policy"]
    assert "script-src" not in policy
    assert "style-src 'self' 'unsafe-inline'" in policy
    assert b"<script>" not in answer.content
