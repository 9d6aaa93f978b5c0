"""Whatever the API is asked, by the rules of its document or against them, it never breaks.

A real server is asked, with its calls in the event loop, by somebody who may do everything; every
second request names an event, a hold, a payment or a rehearsal that exists.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import StringIO
from typing import Any

import pytest
import requests
import schemathesis
from django.core.management import call_command
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode

from tests.making import make_event, make_plan, make_user
from tests.payments.buyers import Buyer, settle_in_background
from tests.payments.sandbox_server import base, origin, shop  # noqa: F401 - fixtures
from tests.soak import SOAK
from tests.ticketing.core.fast_path.site import admit
from tests.ticketing.rehearsal.sale_fixtures import OPTIONS
from ticketing.accounts import services as accounts
from ticketing.accounts.models.tokens import Scope
from ticketing.core import clock
from ticketing.events.models import Event
from ticketing.rehearsal import services as rehearsals
from ticketing.rehearsal.models import Rehearsal
from waiting_queue import services as queues
from waiting_queue.models import SaleQueue

# With SOAK=5 more than 10,000 requests altogether; now so many that each call is tried.
EXAMPLES = 2 if SOAK == 1 else 20 * SOAK
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
PARTS = 4  # each with a share of the calls, so that none takes long
LONGEST = 60  # seconds of one call on a busy machine
pytestmark = pytest.mark.soak(scales=True)


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    out = StringIO()
    call_command("spectacular", "--format", "openapi-json", stdout=out)
    return json.loads(out.getvalue())


@pytest.fixture
def sale(base: str, now: Any, settings: Any) -> Iterator[Event]:  # noqa: F811
    """Its line is open, and it is paid for at the sandbox."""
    settings.PORTONE_URL = base
    plan = make_plan(rows=10, seats_per_row=10, standing=3)
    event = make_event(now, plan=plan, seats_per_person=3)
    SaleQueue.objects.create(event=event, opens_at=now, stock_factor=1_000)
    queues.move_queue(event_id=event.pk, to="open", by=None, now=now)
    yield event
    settle_in_background()  # before the next test empties the tables


@dataclass
class Caller:
    """Somebody who may do everything, and the names of what is theirs."""

    token: str
    event: int
    hold: str
    payment: str
    rehearsal: str

    def name(self, case: schemathesis.Case) -> None:
        """Let the case name what exists."""
        code = self.rehearsal if "/rehearsals/" in case.path else self.hold
        known = {"event_id": self.event, "code": code, "number": self.payment}
        case.path_parameters.update({k: v for k, v in known.items() if k in case.path_parameters})


def make_caller(sale: Event, number: int) -> Caller:
    """Inside, with a hold that is being paid; each number has seats of its own."""
    now = clock.now()
    user = make_user(password=None, is_staff=True, is_superuser=True)
    _, token = accounts.create_token(
        user=user, name="x", scopes=Scope.values, has_second_factor=True, now=now
    )
    admit(sale, user)
    buyer = Buyer(sale, user, clock.now(), first=2 * number)
    running = Rehearsal.objects.filter(cleaned_at=None).first() or rehearsals.start_rehearsal(
        event_id=sale.pk, options=OPTIONS, by=user, now=now
    )
    return Caller(token, sale.pk, buyer.code, buyer.start().number, running.code)


def ask_all(
    operation: Any, mode: GenerationMode, caller: Caller, site: str
) -> list[tuple[str, int]]:
    """Send generated requests, every second one with names that exist; return the answers."""
    answered: list[tuple[str, int]] = []
    session = requests.Session()

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=SOAK == 1,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def ask(case: schemathesis.Case) -> None:
        case.headers["Authorization"] = f"Bearer {caller.token}"
        if len(answered) % 2 == 0:
            caller.name(case)
        answer = case.call(base_url=site, session=session, timeout=LONGEST)
        answered.append((case.as_curl_command(), answer.status_code))

    with session, suppress(Unsatisfiable):  # a call without any field can't be asked wrongly
        ask()
    return answered


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("mode", MODES)
def test_no_call_breaks(
    document: dict[str, Any],
    origin: str,  # noqa: F811
    sale: Event,
    mode: GenerationMode,
    part: int,
    record_property: Any,
) -> None:
    """A new caller for each call, so that no limit of a person keeps the rest from being tried."""
    calls = [found.ok() for found in schemathesis.openapi.from_dict(document).get_all_operations()]
    answered = [
        (operation.label, request, status)
        for number, operation in enumerate(calls[part::PARTS])
        for request, status in ask_all(operation, mode, make_caller(sale, number), origin)
    ]

    record_property("requests", len(answered))
    assert [it for it in answered if it[-1] >= 500] == []
    assert len(answered) >= EXAMPLES * len(calls) // PARTS // 2
