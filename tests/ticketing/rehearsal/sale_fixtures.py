"""A sale to rehearse, an operator who may, and people who buy over HTTP."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx
import pytest

from payments.models import RefundPolicy
from payments.sandbox import testing
from tests.making import make_event, make_user, seat_ids
from tests.payments.sandbox_server import base, origin, shop  # noqa: F401 - fixtures
from ticketing.accounts.models import User
from ticketing.core import clock
from ticketing.events.models import Event
from ticketing.events.services import block_seats
from ticketing.rehearsal import services
from waiting_queue import services as queues
from waiting_queue.models import SaleQueue

OPTIONS: dict[str, Any] = {
    "fans": 5,
    "minutes": 1,
    "profile": "rush",
    "faults": "none",
    "seed": 7,
    "knobs": {"admit_per_second": 0},
}


@pytest.fixture
def sale(db: None, now: Any) -> Event:
    """Announced, with a queue, its own refund policy and two blocked seats."""
    times = {"on_sale_at": now + timedelta(hours=20), "state": Event.State.ANNOUNCED}
    event = make_event(now, seats_per_person=3, hold_seconds=120, **times)
    block_seats(event_id=event.pk, seat_ids=seat_ids(event)[:2], by=None, reason="crew", now=now)
    RefundPolicy.objects.create(event=event, free_days=2, tiers=[[5, 50]])
    SaleQueue.objects.create(
        event=event, opens_at=event.on_sale_at, max_inside=77, mode="first_come"
    )
    return event


@pytest.fixture
def operator(db: None) -> User:
    """With a unique name, so that its own rows are not taken for a rehearsal's."""
    return make_user(password=None, is_staff=True, is_superuser=True, email="boss@example.com")


@pytest.fixture
def site(base: str, settings: Any) -> str:  # noqa: F811
    """The address of a real server that pays at its own sandbox."""
    settings.PORTONE_URL, settings.PAYMENT_PATIENCE, settings.PORTONE_TIMEOUT = base, 2, 4
    return base.removesuffix("/sandbox/portone")


class RehearsalApi:
    """Calls of the rehearsal API."""

    def __init__(self, site: str, operator: User) -> None:
        token = services.mint_token(user=operator, now=clock.now())
        headers = {"authorization": f"Bearer {token}"}
        self.http = httpx.Client(base_url=f"{site}/api/v1/rehearsals/", headers=headers, timeout=30)

    def post(self, path: str = "", **body: Any) -> httpx.Response:
        return self.http.post(path, json=body)

    def get(self, path: str) -> Any:
        answer = self.http.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()


@pytest.fixture
def api(site: str, operator: User, sale: Event) -> RehearsalApi:
    return RehearsalApi(site, operator)


class Person:
    """A person with a browser session."""

    def __init__(self, site: str, event_id: int, session: str) -> None:
        self.event_id = event_id
        self.http = httpx.Client(
            base_url=site, cookies={"sessionid": session}, headers={"origin": site}, timeout=30
        )

    def queue(self, method: str, more: str = "") -> httpx.Response:
        return self.http.request(method, f"/api/v1/events/{self.event_id}/queue/{more}")

    def hold(self, *seats: int) -> httpx.Response:
        address = f"/api/v1/events/{self.event_id}/reservations/"
        return self.http.post(address, json={"seats": list(seats)})

    def buy(self, *seats: int) -> httpx.Response:
        held = self.hold(*seats).json()
        wish = {"reservation": held["code"], "token": held["payment_token"]}
        begun = self.http.post("/api/v1/payments/", json=wish | {"payment_key": str(uuid4())})
        number = begun.json()["number"]
        agreed = {"payment_token": testing.pay(number)["paymentToken"]}
        return self.http.post(f"/api/v1/payments/{number}/confirm/", json=agreed)


def come_in(person: Person) -> None:
    """Join, be called by a tick, and claim."""
    assert person.queue("POST").status_code in (200, 201)
    queues.tick_open_queues(now=clock.now())
    assert person.queue("POST", "claim/").status_code == 200
