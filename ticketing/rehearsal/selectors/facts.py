"""A rehearsal's sale as the database and the gateway have it at the end, for the judge."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib.postgres.aggregates import ArrayAgg
from django.db import connection, transaction
from django.db.models import QuerySet

from payments.models import Payment, Refund
from reservations.models import HoldRequest, Reservation, ReservedSeat, Ticket
from ticketing.events.models import Seat
from ticketing.rehearsal import gateway_ledger
from ticketing.rehearsal.selectors.sale import seats_by_state
from waiting_queue.models import QueueDraw
from waiting_queue.selectors import lane_shares, published_draw

Rows = list[dict[str, Any]]
# Earlier states are left out: no money moves before the fan has agreed, and the deadline ends them.
UNSETTLED = (Payment.State.CHARGING, Payment.State.REFUNDING)
OPEN_REQUESTS = (HoldRequest.State.PENDING, HoldRequest.State.PROCESSING)


def facts(event_id: int) -> dict[str, Any]:
    """All rows as of one moment: payments may be settled while they are read."""
    with one_snapshot():
        paid = Payment.objects.filter(reservation__event_id=event_id)
        numbers = list(paid.values_list("number", flat=True))
        return {
            "settled": is_settled(event_id),
            "reservations": _reservations(event_id),
            "payments": _payments(paid),
            "charges": gateway_ledger.charges_of(numbers) if gateway_ledger.is_sandbox() else None,
            "tickets": _tickets(event_id),
            "sold": _sold(event_id),
            "seats": _seats(event_id),
            "draw": _draw(event_id),
            "lanes": [
                {"lane": lane.number, "name": lane.name, "weight": lane.weight}
                for lane in lane_shares(event_id)
            ],
        }


@contextmanager
def one_snapshot() -> Iterator[None]:
    is_outermost = not connection.in_atomic_block
    with transaction.atomic():
        if is_outermost:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


def is_settled(event_id: int) -> bool:
    """Whether no payment, refund or request for seats is under way."""
    paid = Payment.objects.filter(reservation__event_id=event_id)
    refunds = Refund.objects.filter(payment__in=paid, state=Refund.State.REQUESTED)
    requests = HoldRequest.objects.filter(event_id=event_id, state__in=OPEN_REQUESTS)
    unfinished = (paid.filter(state__in=UNSETTLED), refunds, requests)
    return not any(rows.exists() for rows in unfinished)


def _reservations(event_id: int) -> Rows:
    reservations = Reservation.objects.filter(event_id=event_id).order_by("pk")
    columns = ("code", "fan_id", "state", "created_at", "deadline")
    rows = reservations.annotate(
        ids=ArrayAgg("seats__seat_id", order_by="seats__seat_id", default=[])
    )
    return [
        {
            "code": code,
            "person": fan,
            "state": state,
            "seats": [seat for seat in seats if seat is not None],
            "created_at": created_at,
            "deadline": deadline,
        }
        for code, fan, state, created_at, deadline, seats in rows.values_list(*columns, "ids")
    ]


def _payments(paid: QuerySet[Payment]) -> Rows:
    columns = ("number", "fan_id", "reservation__code", "state", "amount", "refunded")
    names = ("number", "person", "reservation", "state", "amount", "refunded")
    return _as_dicts(names, paid.order_by("pk").values_list(*columns))


def _tickets(event_id: int) -> Rows:
    tickets = Ticket.objects.filter(event_id=event_id).order_by("pk")
    rows = tickets.values_list("code", "holder_id", "seat_id", "state")
    return _as_dicts(("code", "person", "seat", "state"), rows)


def _sold(event_id: int) -> list[list[int | None]]:
    """Each sold seat with its owner, or None if no live reservation has it."""
    live = ReservedSeat.objects.filter(seat__event_id=event_id, live=True)
    owners = dict(live.values_list("seat_id", "reservation__fan_id"))
    sold = Seat.objects.filter(event_id=event_id, state=Seat.State.SOLD).order_by("pk")
    return [[seat, owners.get(seat)] for seat in sold.values_list("pk", flat=True)]


def _seats(event_id: int) -> dict[str, int]:
    states = seats_by_state(event_id)
    return {
        **{name: states[name] for name in ("available", "held", "sold")},
        "held_back": states["blocked"],
    }


def _draw(event_id: int) -> dict[str, Any] | None:
    """The finished draw; `entries` are the published pseudonyms in the order of `people`."""
    draw = QueueDraw.objects.select_related("queue").filter(pk=event_id).first()
    if draw is None or draw.finished_at is None:
        return None
    return published_draw(draw.queue) | {"people": [int(person) for person in draw.people or []]}


def _as_dicts(names: tuple[str, ...], rows: Any) -> Rows:
    return [dict(zip(names, row, strict=True)) for row in rows]
