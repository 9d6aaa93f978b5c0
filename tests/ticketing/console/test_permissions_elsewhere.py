"""Every role, and users without a role, against the controls of other apps and the door."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.urls import reverse

from payments.models import OutboxMessage, Payment
from reservations.models import Reservation, StandbyEntry, Ticket
from tests.making import make_event, make_user, seat_ids
from tests.reservations.tickets.conftest import buy
from tests.ticketing.console.test_permissions import ALL_ROLES, WATCHERS, client_of
from ticketing.accounts.models import Identity
from ticketing.events.models import Event, Seat
from waiting_queue.models import Lane, QueueBypass, SaleQueue, WaitingPage

__all__ = ["client_of"]
pytestmark = pytest.mark.django_db

MANAGERS, OPERATORS, FINANCE = {"manager"}, {"operator", "manager"}, {"finance"}
DOOR = {"manager", "door"}
# Method, URL name, arguments, the roles that may, and the expected status (409: the seats exist
# already; None: not tried, as it would need more data).
REQUESTS = {
    "event: move": ("get", "admin:ticketing_event_move", ("E", "cancelled"), MANAGERS, 200),
    "event: seats": ("post", "admin:ticketing_event_create_seats", ("E",), MANAGERS, 409),
    "event: hold back": ("get", "admin:ticketing_event_hold_back", ("E",), MANAGERS, 200),
    "queue: move": ("get", "admin:queue_salequeue_move", ("Q", "paused"), MANAGERS, 200),
    "queue: rebuild": ("get", "admin:queue_salequeue_rebuild", ("Q",), MANAGERS, 200),
    "queue: tell": ("get", "admin:queue_salequeue_tell", ("Q",), MANAGERS, 200),
    "queue: announce": ("get", "admin:queue_salequeue_announce", ("Q",), MANAGERS, 200),
    "queue: value": ("get", "admin:queue_salequeue_public_value", ("Q",), MANAGERS, 409),
    "queue: people": ("get", "admin:queue_salequeue_people", ("Q",), MANAGERS, 200),
    "queue: demote": ("get", "admin:queue_salequeue_demote", ("Q",), MANAGERS, 200),
    "bypass: end": ("get", "admin:queue_queuebypass_end", ("B",), MANAGERS, 200),
    "page: publish": ("post", "admin:queue_waitingpage_publish", ("W",), MANAGERS, 302),
    "page: withdraw": ("post", "admin:queue_waitingpage_withdraw", ("W",), MANAGERS, 302),
    "page: preview": ("get", "admin:queue_waitingpage_preview", ("W",), WATCHERS, 200),
    "page: frame": ("get", "admin:queue_waitingpage_frame", ("W", "ko", "dark"), WATCHERS, 200),
    "lane: keys": ("get", "admin:queue_lane_keys", ("L",), MANAGERS, 200),
    "lane: codes": ("get", "admin:queue_lane_codes", ("L",), MANAGERS, 200),
    "lane: export": ("get", "admin:queue_lane_export", ("L",), MANAGERS, 200),
    "hold: release": ("get", "admin:reservations_reservation_release", ("H",), OPERATORS, 200),
    "standby: remove": ("get", "admin:reservations_standbyentry_remove", ("S",), OPERATORS, 200),
    "ticket: reissue": ("get", "admin:reservations_ticket_reissue", ("T",), OPERATORS, 200),
    "ticket: check in": ("post", "admin:reservations_ticket_check_in", ("T",), DOOR, 302),
    "payment: refund": ("get", "admin:payments_payment_refund", ("P",), FINANCE, 200),
    "payment: resume": ("post", "admin:payments_payment_resume", ("P",), FINANCE, None),
    "message: revive": ("post", "admin:payments_outboxmessage_revive", ("M",), FINANCE, 302),
    "identity": ("get", "admin:accounts_identity_release", ("I",), MANAGERS, 200),
    "door": ("get", "reservations:doors", (), DOOR, 200),
    "door of an event": ("get", "reservations:door", ("E",), DOOR, 200),
    "door: counts": ("get", "reservations_api:door_counts", ("E",), DOOR, 200),
    "door: check in": ("post", "reservations:check_in", ("E",), DOOR, None),
}


@pytest.fixture
def world(event, now):
    """One object of each kind that a control could change."""
    fan = make_user(password=None)
    sold = buy(event, fan, now, *seat_ids(event)[:1])
    held = Reservation.objects.create(
        event=event,
        fan=fan,
        created_at=now,
        deadline=now + timedelta(hours=1),
        currency="KRW",
        total=0,
    )
    whose = {"fan": fan, "created_at": now}
    payment = Payment.objects.create(
        reservation=sold, payment_key=uuid4(), amount=1000, charged=1000, state="succeeded", **whose
    )
    message = OutboxMessage.objects.create(
        aggregate="x", sequence=1, kind="x", body={}, state="dead", created_at=now, due_at=now
    )
    queue = SaleQueue.objects.create(event=make_event(now), opens_at=now, state="open")
    things = {
        "E": event,
        "Q": queue,
        "B": QueueBypass.objects.create(queue=queue, person=fan, reason="press", at=now),
        "W": WaitingPage.objects.create(queue=queue),
        "L": Lane.objects.create(queue=queue, number=1, name_ko="선예매", name_en="Presale"),
        "H": held,
        "S": StandbyEntry.objects.create(event=event, quantity=1, **whose),
        "T": sold.tickets.get(),
        "P": payment,
        "M": message,
        "I": Identity.objects.create(user=fan, digest="x", birth_year=2000, verified_at=now),
    }
    return {name: thing.pk for name, thing in things.items()}


def state():
    models = (Event, SaleQueue, Reservation, StandbyEntry, Ticket, Payment, OutboxMessage, Seat)
    pages = list(WaitingPage.objects.values_list("pk", "published"))
    return [
        pages,
        list(QueueBypass.objects.values_list("pk", "ended_at")),
        *(list(model.objects.order_by("pk").values_list("pk", "state")) for model in models),
    ]


def send(client, world, method, name, args):
    address = reverse(name, args=[world.get(arg, arg) for arg in args])
    return getattr(client, method)(address)


@pytest.mark.parametrize("role", ALL_ROLES)
def test_requests_without_permission_are_refused_and_change_nothing(role, world, client_of):
    client, before = client_of(role), state()
    refused = [name for name, (*_, who, _status) in REQUESTS.items() if role not in who]

    answers = {name: send(client, world, *REQUESTS[name][:3]) for name in refused}

    let_through = {
        name: answer.status_code
        for name, answer in answers.items()
        if answer.status_code not in (401, 403)
        and not (answer.status_code == 302 and "log" in answer.headers["Location"])
    }
    assert let_through == {}
    assert state() == before


@pytest.mark.parametrize("role", ["operator", "manager", "finance", "door"])
def test_requests_with_permission_succeed(role, world, client_of):
    client = client_of(role)
    may = {name: status for name, (*_, who, status) in REQUESTS.items() if status and role in who}

    answers = {name: send(client, world, *REQUESTS[name][:3]) for name in may}

    assert may
    assert {name: answer.status_code for name, answer in answers.items()} == may
    assert not any("log" in answer.headers.get("Location", "") for answer in answers.values())
