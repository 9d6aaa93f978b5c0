"""The same nonsense at the calls of the event loop: they leave it to Django, which refuses it."""

import httpx
import pytest
from asgiref.sync import sync_to_async

from tests.architecture.test_unusable_input import BODIES, DIGITS
from tests.making import make_event, make_user
from tests.waiting_queue.api.conftest import logged_in
from ticketing import asgi
from ticketing.core import clock

pytestmark = pytest.mark.django_db(transaction=True)
OWN = "http://testserver"
PATHS = {
    "/api/v1/events/{event}/reservations/": "POST",
    "/api/v1/payments/": "POST",
    "/api/v1/payments/nothing/confirm/": "POST",
    "/api/v1/events/{event}/queue/": "POST",
}


async def send(method: str, path: str, **more) -> httpx.Response:
    transport = httpx.ASGITransport(asgi.application, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url=OWN) as http:
        return await http.request(method, path, **more)


@pytest.fixture
async def headers(loop_resources) -> dict[str, str]:
    user = await sync_to_async(make_user)(password=None)
    session = await sync_to_async(logged_in)(user)
    kind = {"content-type": "application/json"}
    return {"cookie": f"sessionid={session}", "origin": OWN, "accept": "*/*"} | kind


async def test_in_the_json_of_every_call(headers):
    event = await sync_to_async(make_event)(clock.now())
    small = {kind: body for kind, body in BODIES.items() if len(body) < 900}
    statuses = {
        (path, kind): (
            await send(method, path.format(event=event.pk), headers=headers, content=body)
        ).status_code
        for path, method in PATHS.items()
        for kind, body in small.items()
    }

    assert {what: status for what, status in statuses.items() if status >= 500} == {}
    held = {status for (path, _), status in statuses.items() if "reservations" in path}
    assert held == {400}


@pytest.mark.parametrize("query", ["mode=%00", f"mode={DIGITS}", "mode=%ff", f"turn={DIGITS}"])
async def test_in_the_query(headers, query):
    event = await sync_to_async(make_event)(clock.now())
    for path in ("reservations/", "queue/", "queue/outlook/", "seats/"):
        for method in ("GET", "POST"):
            address = f"/api/v1/events/{event.pk}/{path}?{query}"
            answer = await send(method, address, headers=headers, content=b"{}")
            assert answer.status_code < 500, (method, path)


@pytest.mark.parametrize("cookie", [r'sessionid="\000\000abcdefgh"', "sessionid=" + "9" * 3_000])
async def test_in_a_cookie(headers, cookie):
    event = await sync_to_async(make_event)(clock.now())
    for path in (f"/api/v1/events/{event.pk}/queue/", f"/events/{event.pk}/", "/"):
        answer = await send("GET", path, headers=headers | {"cookie": cookie})
        assert answer.status_code < 500, path
