"""The network between the web server and PostgreSQL, Valkey and the gateway is disturbed.

Nobody waits for long, what needs the broken part says so, and everything else works. Whoever did
not get an answer asks again and gets the truth.
"""

import json
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import psycopg
import pytest
from django.conf import settings

from tests.faults.site import Site, until
from tests.servers import MIGRATED
from ticketing.development.embedded.paths import addresses
from ticketing.rehearsal.network.control import Network

CROWD = 40  # more than the server has threads and connections


class Fan:
    """Somebody who is logged in."""

    def __init__(self, site: Site, made: dict[str, Any]) -> None:
        self.site, self.event, self.queued = site, made["event"], made["queued"]
        self.seats = iter(made["seats"])
        self.headers = {"cookie": f"sessionid={made['session']}", "origin": site.url}

    def post(self, path: str, body: Any = None, **headers: str) -> httpx.Response:
        url = f"{self.site.url}/api/v1/{path}"
        return httpx.post(url, json=body, headers=self.headers | headers, timeout=20)

    def join(self) -> httpx.Response:
        return self.post(f"events/{self.queued}/queue/")

    def hold(self, seat: int, key: str) -> httpx.Response:
        path, body = f"events/{self.event}/reservations/", {"seats": [seat]}
        return self.post(path, body, **{"idempotency-key": key})

    def release(self, code: str) -> None:
        httpx.delete(
            f"{self.site.url}/api/v1/events/{self.event}/reservations/{code}/",
            headers=self.headers,
            timeout=20,
        )

    def pay(self, held: dict[str, Any], key: str) -> httpx.Response:
        body = {"reservation": held["code"], "token": held["payment_token"], "payment_key": key}
        return self.post("payments/", body)


@pytest.fixture(scope="module")
def prepared() -> Iterator[tuple[Site, dict[str, Any]]]:
    site = Site(var=Path(settings.VAR_DIR), with_network=True)  # with the static files
    site.env |= {"REDIS_TIMEOUT": "1", "DATABASE_TIMEOUT": "2", "OVERLOAD_PAGES": "1000"}
    try:
        made = json.loads(site.run("-m", "tests.faults.prepare"))
        site.start_web()
        yield site, made
    finally:
        site.stop()


@pytest.fixture
def site(prepared: tuple[Site, dict[str, Any]]) -> Iterator[Site]:
    site, made = prepared
    yield site
    assert site.network
    site.network.restore()
    until(lambda: site.get("/readyz").status_code == 200, seconds=60)
    until(lambda: Fan(site, made).join().status_code in (200, 201), seconds=60)


@pytest.fixture
def network(site: Site) -> Network:
    assert site.network
    return site.network


@pytest.fixture(scope="module")
def fan(prepared: tuple[Site, dict[str, Any]]) -> Fan:
    return Fan(*prepared)


@pytest.fixture
def unbothered(site: Site, fan: Fan) -> list[str]:
    """What needs no database; each was asked for once before."""
    style = re.findall(r'href="(/static/[^"]+\.css)"', site.get("/").text)[0]
    paths = ["/healthz", style, f"/api/v1/events/{fan.event}/seats/"]
    assert {site.get(path).status_code for path in paths} == {200}
    return paths


def at_once(ask: Callable[[], httpx.Response]) -> list[httpx.Response]:
    with ThreadPoolExecutor(CROWD) as pool:
        return [each.result() for each in [pool.submit(ask) for _ in range(CROWD)]]


def test_a_redis_that_stalls_is_said_to_everybody_and_bothers_no_page(
    site: Site, fan: Fan, network: Network
) -> None:
    assert fan.join().status_code in (200, 201)
    network.disturb(["valkey"], "stall")

    refused = at_once(fan.join)

    assert {(answer.status_code, "retry-after" in answer.headers) for answer in refused} == {
        (503, True)
    }
    assert site.get("/").status_code == 200
    assert site.get(f"/events/{fan.event}/").status_code == 200


def test_a_database_that_stalls_keeps_no_thread_from_what_needs_none(
    site: Site, fan: Fan, network: Network, unbothered: list[str]
) -> None:
    network.disturb(["postgresql"], "stall")

    def ask(number: int) -> httpx.Response:
        return site.get(f"/api/v1/events/?search={number}")

    with ThreadPoolExecutor(CROWD) as pool:
        waiting = [pool.submit(ask, number) for number in range(CROWD)]
        assert {site.get(path).status_code for path in unbothered} == {200}
        assert fan.join().status_code in (200, 201)
        answers = [each.result() for each in waiting]

    assert {answer.status_code for answer in answers} == {503}
    assert {answer.json()["code"] for answer in answers} == {"unavailable"}


def test_holds_do_not_queue_behind_a_database_that_stalls(
    site: Site, fan: Fan, network: Network
) -> None:
    seat = next(fan.seats)
    network.disturb(["postgresql"], "stall")

    answers = at_once(lambda: fan.hold(seat, str(uuid4())))

    assert {answer.status_code for answer in answers} <= {503, 409, 429}
    assert 503 in {answer.status_code for answer in answers}


@pytest.mark.parametrize("fault", ["cut", "stall"])
def test_whoever_did_not_hear_of_the_commit_asks_again_and_has_the_seat(
    site: Site, fan: Fan, network: Network, fault: str
) -> None:
    seat, committed = next(fan.seats), list[str]()
    while not committed:  # unless the fault came before the statement
        network.restore()
        until(lambda: hold_and_release(fan, seat), seconds=60)
        key = str(uuid4())
        network.disturb(["postgresql"], fault, directions=["down"])
        unheard = fan.hold(seat, key)
        committed = reservations_with(site, key)

    network.restore()
    until(lambda: fan.hold(seat, key).status_code in (200, 201), seconds=60)
    heard = fan.hold(seat, key).json()

    assert unheard.status_code == 503
    assert committed == [heard["code"]]
    assert [held["id"] for held in heard["seats"]] == [seat]
    fan.release(heard["code"])


def hold_and_release(fan: Fan, seat: int) -> bool:
    """So that the server has a connection, and knows that the event is on sale."""
    held = fan.hold(seat, str(uuid4()))
    if held.status_code == 201:
        fan.release(held.json()["code"])
    return held.status_code == 201


def reservations_with(site: Site, key: str) -> list[str]:
    with psycopg.connect(addresses(site.servers.var).database_url, dbname=MIGRATED) as database:
        query = "SELECT code FROM reservations_reservation WHERE key = %s"
        return [code for (code,) in database.execute(query, [key])]


@pytest.mark.parametrize(
    ("fault", "directions"),
    [("half_close", ["down"]), ("half_close", ["up"]), ("cut", ["down"]), ("stall", ["down"])],
)
def test_a_gateway_whose_connections_break_is_asked_again(
    site: Site, fan: Fan, network: Network, fault: str, directions: list[str]
) -> None:
    held = fan.hold(next(fan.seats), str(uuid4())).json()
    key = str(uuid4())
    network.disturb(["gateway"], fault, directions=directions)

    broken = fan.pay(held, key)
    network.restore()
    until(lambda: fan.pay(held, key).status_code in (200, 201), seconds=60)

    assert broken.status_code in (200, 201, 503), broken.text
    again = fan.pay(held, key).json()
    assert again["number"] == fan.pay(held, key).json()["number"]
    assert again["state"] in ("PENDING", "PREPARED")
