"""Servers are killed under the running site. It says so, and recovers by itself."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from tests.faults.site import Site, until
from tests.ticketing.events.api import decoding


@pytest.fixture(scope="module")
def prepared() -> Iterator[tuple[Site, dict[str, Any]]]:
    site = Site(var=Path(settings.VAR_DIR))  # the static files are there already
    try:
        made = json.loads(site.run("-m", "tests.faults.prepare"))
        site.start_web()
        yield site, made
    finally:
        site.stop()


@pytest.fixture
def site(prepared: tuple[Site, dict[str, Any]]) -> Iterator[Site]:
    """Whole before and after each test."""
    site, _ = prepared
    yield site
    for server in (site.postgres, site.valkey):
        if server.child is not None and server.child.poll() is not None:
            site.start_again(server)


@pytest.fixture
def made(prepared: tuple[Site, dict[str, Any]]) -> dict[str, Any]:
    return prepared[1]


@pytest.fixture
def pages(made: dict[str, Any]) -> list[str]:
    return ["/", f"/events/{made['event']}/"]


@pytest.fixture
def answers(made: dict[str, Any]) -> list[str]:
    event = f"/api/v1/events/{made['event']}/"
    return ["/api/v1/events/", event, f"{event}seats/"]


def me(site: Site, made: dict[str, Any]) -> Any:
    return site.get("/api/v1/me/", cookies={"sessionid": made["session"]})


def test_a_dead_database_is_a_calm_503_and_then_all_is_well_again(
    site: Site, pages: list[str], answers: list[str]
) -> None:
    process = site.web
    site.kill(site.postgres)

    for path in pages:
        page = page_after_its_last_copy(site, path)
        assert (page.status_code, page.headers["retry-after"]) == (503, "5")
        assert "<html" in page.text
        assert "Traceback" not in page.text
        assert "OperationalError" not in page.text
    for path in answers:
        answer = site.get(path)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5"), path
        assert answer.json()["code"] == "unavailable"
    ready = site.get("/readyz")
    assert site.get("/healthz").json()["status"] == "ok"
    assert (ready.status_code, ready.json()["status"]) == (503, "unavailable")
    checks = ready.json()["checks"]
    assert (checks["database"], checks["redis"]) == ("down", "ok")

    site.start_again(site.postgres)

    until(lambda: site.get("/readyz").status_code == 200, seconds=60)
    assert {site.get(path).status_code for path in pages + answers} == {200}
    assert site.web is process
    assert process is not None
    assert process.poll() is None


def page_after_its_last_copy(site: Site, path: str) -> Any:
    """A page that can't be rendered is sent for a few seconds as it was."""
    found: list[Any] = []

    def is_over() -> bool:
        found.append(site.get(path, headers={"accept": "text/html"}))
        return found[-1].status_code != 200

    until(is_over, seconds=60)
    return found[-1]


def test_a_kept_seat_list_outlives_the_database(site: Site, answers: list[str]) -> None:
    before = site.get(answers[-1])

    site.kill(site.postgres)

    after = site.get(answers[-1], headers={"if-none-match": before.headers["etag"]})
    assert after.status_code == 304
    assert site.get(answers[-1]).json() == before.json()


def test_a_dead_redis_costs_time_but_no_page_and_nobodys_log_in(
    site: Site, made: dict[str, Any], pages: list[str], answers: list[str]
) -> None:
    before = site.get(answers[-1])
    assert me(site, made).json()["id"] == made["fan"]

    site.kill(site.valkey)

    for path in pages + answers:
        assert site.get(path).status_code == 200, path
    seats = site.get(answers[-1], headers={"if-none-match": before.headers["etag"]})
    assert "etag" not in seats.headers
    assert decoding.seats(seats.json()) == decoding.seats(before.json())
    assert me(site, made).json()["id"] == made["fan"]
    ready = site.get("/readyz")
    assert (ready.status_code, ready.json()["checks"]["redis"]) == (503, "down")
    assert site.get("/healthz").status_code == 200

    site.start_again(site.valkey)

    until(lambda: site.get("/readyz").status_code == 200, seconds=60)
    assert "etag" in site.get(answers[-1]).headers
    assert me(site, made).json()["id"] == made["fan"]


def test_with_both_dead_the_site_still_says_what_is_so(site: Site, pages: list[str]) -> None:
    site.kill(site.postgres)
    site.kill(site.valkey)

    page, ready = page_after_its_last_copy(site, pages[0]), site.get("/readyz")

    assert (page.status_code, ready.status_code) == (503, 503)
    assert "Traceback" not in page.text
    assert site.get("/healthz").status_code == 200
