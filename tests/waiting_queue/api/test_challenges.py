"""The challenge over HTTP: one clear refusal, on the fast path and by Django."""

import httpx
import pytest
from asgiref.sync import sync_to_async

from tests.making import make_user
from tests.waiting_queue.api.conftest import OWN, logged_in
from tests.waiting_queue.challenges import ADDRESS, rush, solution_of
from ticketing import asgi
from ticketing.core import redis
from waiting_queue.models import PlaceSignals
from waiting_queue.services import drain_signals

pytestmark = pytest.mark.django_db(transaction=True)
WAYS = {"fast path": lambda: asgi.application, "Django": lambda: asgi.site.fallback}


class Person:
    def __init__(self, event_id, way):
        self.user = make_user(password=None)
        self.cookie = f"sessionid={logged_in(self.user)}"
        self.path = f"{OWN}/api/v1/events/{event_id}/queue/"
        self.transport = httpx.ASGITransport(WAYS[way](), client=(ADDRESS, 1))

    async def join(self, solution=""):
        headers = {"cookie": self.cookie, "origin": OWN, "accept-language": "en"}
        if solution:
            headers["challenge-solution"] = solution
        async with httpx.AsyncClient(transport=self.transport) as client:
            return await client.post(self.path, headers=headers)


@pytest.mark.parametrize("way", WAYS)
async def test_a_program_solves_the_challenge_and_joins(paused, http, way):
    await sync_to_async(rush)(paused.pk)
    person = await sync_to_async(Person)(paused.pk, way)

    refused = await person.join()
    assert refused.status_code == 403
    assert refused.json()["code"] == "challenge_required"
    solution = solution_of(refused.json()["details"]["challenge"])
    joined = await person.join(solution)
    again = await person.join()

    assert (joined.status_code, again.status_code) == (201, 200)
    await redis.async_client().flush()
    assert await sync_to_async(drain_signals)() == 1
    kept = await PlaceSignals.objects.aget()
    assert (kept.address_range, kept.signals["account_age"]) == ("203.0.113.0/24", "day")


@pytest.mark.parametrize("way", WAYS)
async def test_a_solution_that_is_no_text_of_ours_is_no_error(paused, http, way):
    await sync_to_async(rush)(paused.pk)
    person = await sync_to_async(Person)(paused.pk, way)

    for forged in ("x", "[]", "eyJjaGFsbGVuZ2UiOm51bGx9", "ch_x.y", "provider:x", "A" * 4_000):
        refused = await person.join(forged)
        assert (refused.status_code, refused.json()["code"]) == (403, "challenge_required")
