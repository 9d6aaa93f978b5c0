"""The API does what its OpenAPI document says, whatever it is asked."""

import json
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
import schemathesis
from django.core import signals
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode

from ticketing.events.models import Event

pytestmark = pytest.mark.django_db

BOUNDED = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    out = StringIO()
    call_command("spectacular", "--format", "openapi-json", stdout=out)
    return json.loads(out.getvalue())


@pytest.fixture
def site(document: dict[str, Any]) -> Iterator[schemathesis.BaseSchema]:
    """The real application; requests must not close the connection of the test's transaction."""
    disconnected = [
        signal
        for signal in (signals.request_started, signals.request_finished)
        if signal.disconnect(close_old_connections)
    ]
    schema = schemathesis.openapi.from_dict(document)
    schema.app = get_wsgi_application()
    yield schema
    for signal in disconnected:
        signal.connect(close_old_connections)


def asked(
    site: schemathesis.BaseSchema, path: str, mode: GenerationMode, **parameters: int
) -> set[int]:
    """The statuses of many requests, each checked against the document."""
    seen: set[int] = set()

    @BOUNDED
    @given(case=site[f"/api/v1/{path}"]["GET"].as_strategy(generation_mode=mode))
    def ask(case: schemathesis.Case) -> None:
        case.headers.update({"Host": "localhost", "Accept-Encoding": "identity"})
        case.path_parameters.update(parameters)
        seen.add(case.call_and_validate().status_code)

    ask()
    return seen


@pytest.mark.parametrize("path", ["", "events/"])
def test_whatever_is_asked_is_answered_as_documented(
    event: Event, site: schemathesis.BaseSchema, path: str
) -> None:
    assert asked(site, path, GenerationMode.POSITIVE) == {200}


@pytest.mark.parametrize("path", ["events/{event_id}/", "events/{event_id}/seats/"])
def test_an_event_is_told_or_not_found_as_documented(
    event: Event, site: schemathesis.BaseSchema, path: str
) -> None:
    assert 404 in asked(site, path, GenerationMode.POSITIVE)
    assert asked(site, path, GenerationMode.POSITIVE, event_id=event.pk) == {200}


def test_nonsense_is_refused_as_documented(event: Event, site: schemathesis.BaseSchema) -> None:
    assert 400 in asked(site, "events/", GenerationMode.NEGATIVE)
