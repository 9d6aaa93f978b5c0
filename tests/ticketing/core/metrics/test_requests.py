"""Requests are counted by route and status on both paths, with labels that clients can't choose."""

from collections import Counter
from collections.abc import Awaitable, Callable

import httpx
import pytest
from prometheus_client import REGISTRY

from ticketing import asgi
from ticketing.core.metrics.requests import METHODS, requests

pytestmark = pytest.mark.django_db(transaction=True)
Ask = Callable[..., Awaitable[httpx.Response]]


@pytest.fixture
def ask() -> Ask:
    client = httpx.AsyncClient(
        transport=httpx.ASGITransport(asgi.application), base_url="http://testserver"
    )

    async def send(method: str, path: str, **options) -> httpx.Response:
        return await client.request(method, path, **options)

    return send


def answered(path, method, route, status):
    labels = {"path": path, "method": method, "route": route, "status": str(status)}
    return REGISTRY.get_sample_value("http_requests_total", labels) or 0


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/api/v1/events/987/queue/outlook/", ("fast", "GET", 404)),
        ("GET", "/", ("fast", "GET", 200)),
        ("OPTIONS", "/api/v1/events/987/queue/outlook/", ("django", "OPTIONS", 405)),
        ("GET", "/readyz", ("django", "GET", 200)),
    ],
)
async def test_both_paths_count_by_route_and_status(ask, method, path, expected):
    kind, name, status = expected
    before = {key: dict(stats.statuses) for key, stats in requests.stats.items()}

    response = await ask(method, path)

    (changed,) = [
        key for key, stats in requests.stats.items() if stats.statuses != before.get(key, {})
    ]
    assert changed[:2] == (kind, name)
    assert response.status_code == status
    assert answered(*changed, status) == before.get(changed, {}).get(status, 0) + 1
    assert "987" not in changed[2]


@pytest.mark.asyncio
async def test_a_refusal_on_the_fast_path_is_counted_with_its_status(ask):
    route = ("fast", "POST", "/api/v1/events/<int:event_id>/queue/")
    before = answered(*route, 401)

    response = await ask("POST", "/api/v1/events/5/queue/", headers={"origin": "http://testserver"})

    assert (response.status_code, answered(*route, 401)) == (401, before + 1)


@pytest.mark.asyncio
async def test_nobody_can_make_new_series(ask):
    """Whatever clients send, labels are ours: the routes, a few methods, statuses that we give."""
    await ask("GET", "/nowhere/")
    await ask("BREW", "/nowhere/")
    before = set(requests.stats)
    for n in range(20):
        await ask("GET", f"/nowhere-{n}/?q={n}")
        await ask("GET", f"/events/{n}/x{n}/", headers={"x-request-id": f"{n}" * 20})
        await ask(f"BREW{n}", f"/nowhere-{n}/")

    assert set(requests.stats) - before <= {("django", "GET", "unknown")}
    assert {labels[1] for labels in requests.stats} <= {*METHODS, "other"}
    assert {labels[0] for labels in requests.stats} <= {"fast", "django"}


def calls_by_route() -> Counter[str]:
    """Also of what ran before in this process."""
    calls: Counter[str] = Counter()
    for labels, stats in requests.stats.items():
        calls[labels[2]] += sum(stats.counts)
    return calls


@pytest.mark.asyncio
async def test_all_pages_of_the_admin_are_one_route(ask):
    known = calls_by_route()
    for path in ("/admin/", "/admin/login/", "/admin/ticketing/event/1/change/"):
        await ask("GET", path)

    assert set(calls_by_route() - known) == {"/admin/"}
