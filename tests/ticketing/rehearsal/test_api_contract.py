"""The rehearsal API behaves as its OpenAPI document says, for generated requests."""

import json
from io import StringIO

import pytest
import schemathesis
from django.core import signals
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import (
    ignored_auth,
    negative_data_rejection,
    positive_data_acceptance,
)

from tests.ticketing.rehearsal.sale_fixtures import OPTIONS
from ticketing.rehearsal import services

pytestmark = pytest.mark.django_db
FEW = settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
# The token is ours and good, whatever else is made up; extra names are overlooked, as everywhere;
# and some rules are more than a schema can say.
OURS = [ignored_auth, negative_data_rejection, positive_data_acceptance]
ASKED = [
    ("POST", ""),
    *(("POST", f"{{code}}/{name}/") for name in ("people", "moves", "knobs", "gateway", "report")),
    *(("GET", f"{{code}}/{name}/") for name in ("snapshot", "books", "journal", "facts")),
]


@pytest.fixture(scope="module")
def document():
    out = StringIO()
    call_command("spectacular", "--format", "openapi-json", stdout=out)
    return json.loads(out.getvalue())


@pytest.fixture
def site(document):
    """The real application; requests must not close the connection of the test's transaction."""
    watched = (signals.request_started, signals.request_finished)
    disconnected = [it for it in watched if it.disconnect(close_old_connections)]
    schema = schemathesis.openapi.from_dict(document)
    schema.app = get_wsgi_application()
    yield schema
    for signal in disconnected:
        signal.connect(close_old_connections)


@pytest.fixture
def asked(site, sale, operator, now):
    """The statuses of generated requests, each checked against the document."""
    secret = services.mint_token(user=operator, now=now)
    begun = services.start_rehearsal(event_id=sale.pk, options=OPTIONS, by=operator, now=now)

    def ask_all(method, path, mode):
        seen = set()

        @FEW
        @given(case=site[f"/api/v1/rehearsals/{path}"][method].as_strategy(generation_mode=mode))
        def ask(case):
            case.headers.update({"Host": "localhost", "Accept-Encoding": "identity"})
            case.headers["Authorization"] = f"Bearer {secret}"
            if path:
                case.path_parameters["code"] = begun.code
            seen.add(case.call_and_validate(excluded_checks=OURS).status_code)

        ask()
        return seen

    return ask_all


@pytest.mark.parametrize(("method", "path"), ASKED)
def test_valid_requests_are_answered_as_documented(asked, method, path):
    seen = asked(method, path, GenerationMode.POSITIVE)

    assert seen
    assert seen <= {200, 201, 400, 404, 409}


@pytest.mark.parametrize("path", ["", "{code}/people/", "{code}/knobs/", "{code}/report/"])
def test_invalid_requests_are_refused_as_documented(asked, path):
    assert 400 in asked("POST", path, GenerationMode.NEGATIVE)
