"""Join, hold, pay and confirm: at most five calls from the URL to the first script or statement.

Counted are our own functions on the stack, from the call's declaration or the page's view on. Left
out are Django, asyncio, the generic ways into a call, the caches, and the clients of both servers.
"""

import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis
from asgiref.sync import sync_to_async
from django.conf import settings
from django.test import Client
from django.urls import reverse

from tests.making import make_event, make_plan, make_user, seat_ids
from tests.payments.conftest import paying_site
from tests.payments.sandbox_server import base, origin, shop
from tests.ticketing.core.fast_path.test_parity import BUYERS, Case, Ways
from ticketing import asgi
from ticketing.core.async_database import AsyncDatabase
from ticketing.core.auto_pipeline import AutoPipeline
from waiting_queue import services as queue
from waiting_queue.models import SaleQueue

__all__ = ["base", "origin", "paying_site", "shop"]  # fixtures
pytestmark = pytest.mark.django_db(transaction=True)

MOST = 5
CALLS = {"join_queue", "hold_seats", "start_payment", "confirm_payment"}
# Below the deepest of these begins what is counted.
ENTRANCES = {"ApiCall._answer", "ApiCall.view_method.<locals>.method"}
MIDDLEWARE = "middleware.py"
CLIENTS = ("auto_pipeline.py", "async_database.py", "sql.py", "prepared_queries.py", "ttl_cache.py")
SENDERS = (
    (AutoPipeline, "call", lambda command: command[0] == "EVALSHA"),
    (redis.Redis, "execute_command", lambda command: command[0] == "EVALSHA"),
    (redis.client.Pipeline, "execute", lambda command: True),
    (AsyncDatabase, "_fetch", lambda command: True),
    (psycopg.Cursor, "execute", lambda command: True),
)
Stack = list[str]


def our_stack() -> Stack:
    """Our functions from the entrance of the request down to the client."""
    names: Stack = []
    frame: Any = sys._getframe(2)
    while frame:
        path, name = Path(frame.f_code.co_filename), frame.f_code.co_qualname
        if name in ENTRANCES or path.name == MIDDLEWARE:
            break
        is_ours = path.is_relative_to(settings.BASE_DIR) and ".venv" not in path.parts
        if is_ours and path.name not in CLIENTS and not name.endswith("comp>"):
            names.insert(0, name)
        frame = frame.f_back
    return names


@pytest.fixture
def stacks(monkeypatch: Any) -> list[Stack]:
    """The stack of each script and statement."""
    found: list[Stack] = []

    def watch(kind: Any, name: str, counts: Any) -> None:
        send = getattr(kind, name)

        def watched(self: Any, *command: Any, **options: Any) -> Any:
            if counts(command):
                found.append(our_stack())
            return send(self, *command, **options)

        monkeypatch.setattr(kind, name, watched)

    for sender in SENDERS:
        watch(*sender)
    return found


@pytest.fixture(
    params=[call for call in asgi.CALLS if call.name in CALLS], ids=lambda call: call.name
)
async def ways(request: Any, paying_site: str, loop_resources: None, now: Any) -> Ways:
    BUYERS.clear()
    return await sync_to_async(Ways)(request.param, now)


async def first_stack(ways: Ways, stacks: list[Stack], *, way: int, number: int = 1) -> Stack:
    """The first that the service caused, on the fast path (0) or by Django (1)."""
    people = await sync_to_async(ways.visitors)(number)
    request = await sync_to_async(ways._request)(people[way], Case("success"))
    stacks.clear()
    response = await ways._send((asgi.site, asgi.site.fallback)[way], request)
    assert response.status_code < 300, response.text
    service: Any = (ways.call.aservice, ways.call.service)[way]
    return next(stack for stack in stacks if stack[:1] == [service.__code__.co_qualname])


async def test_a_call_reaches_redis_or_postgresql_after_five_calls(ways: Ways, stacks: list[Stack]):
    fast = await first_stack(ways, stacks, way=0)
    django = await first_stack(ways, stacks, way=1, number=2)

    assert 0 < len(fast) <= MOST, fast
    assert 0 < len(django) <= MOST, django


async def test_control_one_call_too_many_is_counted(
    ways: Ways, stacks: list[Stack], monkeypatch: Any
):
    service = ways.call.aservice
    before = len(await first_stack(ways, stacks, way=0))

    async def forward(**arguments: Any) -> Any:
        return await service(**arguments)

    monkeypatch.setattr(ways.call, "aservice", forward)

    assert len(await first_stack(ways, stacks, way=0, number=2)) == before + 1


def test_a_page_reaches_redis_after_five_calls(paying_site: str, stacks: list[Stack], now: Any):
    """Whoever joins from the waiting page and holds from the seat map."""
    event, browser = make_event(now, plan=make_plan(seats_per_row=20)), Client()
    browser.force_login(make_user(password=None))
    SaleQueue.objects.create(event=event, opens_at=now, admit_per_second=100)
    queue.move_queue(event_id=event.pk, to="open", by=None, now=now)
    hold = reverse("reservations:hold_seats", args=[event.pk])

    joined = post(browser, stacks, reverse("queue:line", args=[event.pk]))
    held = post(browser, stacks, hold, seat=seat_ids(event)[0])

    assert len(joined) - 1 <= MOST, joined  # the view itself is not a call on the way
    assert len(held) - 1 <= MOST, held


def post(browser: Client, stacks: list[Stack], address: str, **form: Any) -> Stack:
    """The stack of the script that the service runs first."""
    stacks.clear()
    assert browser.post(address, form).status_code == 303
    return next(stack for stack in stacks if stack[-1] == "run_all")
