"""The copy's sale while it runs: counts, journal, charges that are not settled."""

import re
from datetime import UTC, datetime
from typing import Any

from django.db.models import Count, Max, Min, Q

from payments.models import Payment
from payments.selectors import breaker_state
from reservations.models import ReservedSeat
from reservations.selectors import bought_since
from ticketing.console import selectors as console
from ticketing.events.models import Seat
from ticketing.rehearsal import gateway_ledger
from ticketing.rehearsal.models import Rehearsal
from waiting_queue import selectors as queues
from waiting_queue.models import QueueJournal, SaleQueue

# The end of a journal entry that came from Redis: milliseconds since 1970, and a count within them.
STREAM_ENTRY = re.compile(r":([0-9]+)-[0-9]+$")
# The knobs that a rehearsal copies, shows and may set.
KNOBS = (
    *("max_inside", "admit_per_second", "capacity", "claim_seconds"),
    *("pass_seconds", "pass_max_seconds", "absence_seconds", "moves_groups"),
)
JOURNAL_PAGE = 10_000


def knobs(queue: SaleQueue) -> dict[str, Any]:
    return {name: getattr(queue, name) for name in KNOBS}


def snapshot(rehearsal: Rehearsal, now: datetime) -> dict[str, Any]:
    """The sale at this moment. The runner asks every second, so it takes few, quick queries."""
    queue = SaleQueue.objects.get(pk=rehearsal.copy)
    counts = queues.overview(queue, now=now)
    return {
        "at": now,
        "state": queue.state,
        "lobby": counts.lobby,
        "waiting": counts.waiting,
        "unverified": counts.unverified,
        "ready": counts.ready,
        "inside": counts.inside,
        "max_inside": queue.max_inside,
        "cap": counts.cap,
        "admit_per_second": queue.admit_per_second,
        "seats": _seats_now(queue.pk),
        "tick_age_seconds": counts.tick_age,
        "database_ms": console.database_times()["database_ms"],
        "redis_ms": console.ping_ms(),
        "breaker": breaker_state().state,
        "oldest_charge_seconds": _oldest_charge(queue.pk, now),
        "oldest_leak_seconds": _oldest_leak(queue.pk, now),
    }


def _oldest_charge(event_id: int, now: datetime) -> float:
    """How long the charge that is not settled for the longest time has been under way."""
    charging = Payment.objects.filter(reservation__event_id=event_id, state=Payment.State.CHARGING)
    since = charging.aggregate(Min("charging_at"))["charging_at__min"]
    return (now - since).total_seconds() if since else 0.0


def _oldest_leak(event_id: int, now: datetime) -> float:
    """How long somebody has been inside after their purchase was paid."""
    inside = queues.people_inside().get(event_id, {})
    bought = bought_since(event_id=event_id, since=inside) if inside else set()
    paid = Payment.objects.filter(
        reservation__event_id=event_id, fan_id__in=map(int, bought), state=Payment.State.SUCCEEDED
    )
    last_of_each = paid.order_by().values("fan_id").annotate(last=Max("settled_at"))
    since = last_of_each.aggregate(Min("last"))["last__min"]
    return (now - since).total_seconds() if since else 0.0


def _seats_now(event_id: int) -> dict[str, int]:
    """Seats by state; unlike in the database, seats that are being paid for are not `held`."""
    states = seats_by_state(event_id)
    in_payment = Q(reservation__event_id=event_id, reservation__state="paying", live=True)
    paying = ReservedSeat.objects.filter(in_payment).count()
    held = max(states["held"] - paying, 0)
    return {"free": states["available"], "held": held, "paying": paying, "sold": states["sold"]}


def seats_by_state(event_id: int) -> dict[str, int]:
    rows = Seat.objects.filter(event_id=event_id).order_by().values_list("state")
    return dict.fromkeys(Seat.State.values, 0) | dict(rows.annotate(Count("pk")))


def is_closed_and_unarchived(rehearsal: Rehearsal) -> bool:
    """The queue is closed, and the ends of those who were in it are not in the journal yet."""
    closed = SaleQueue.objects.filter(pk=rehearsal.copy, state=SaleQueue.State.CLOSED)
    return closed.exclude(epoch="").exists()


def journal(rehearsal: Rehearsal, *, after: int, now: datetime) -> dict[str, Any]:
    """A page of the journal in order; `more` also while some of it is still in Redis."""
    entries = QueueJournal.objects.filter(event_id=rehearsal.copy, pk__gt=after).order_by("pk")
    names = ("id", "at", "entry", "person", "kind", "number", "leader")
    rows = list(entries.values(*names)[: JOURNAL_PAGE + 1])
    queue = SaleQueue.objects.get(pk=rehearsal.copy)
    backlog = queues.overview(queue, now=now).backlog
    more = len(rows) > JOURNAL_PAGE or backlog > 0 or is_closed_and_unarchived(rehearsal)
    return {"entries": [_with_done(row) for row in rows[:JOURNAL_PAGE]], "more": more}


def _with_done(row: dict[str, Any]) -> dict[str, Any]:
    """When Redis made the change, which its stream says; None for what was not made there."""
    found = STREAM_ENTRY.search(row.pop("entry"))
    done = datetime.fromtimestamp(int(found[1]) / 1000, UTC) if found else None
    return row | {"done": done}


def unknown_charges(rehearsal: Rehearsal) -> list[str]:
    """Payments whose outcome at the gateway is not known yet."""
    charging = Payment.objects.filter(
        reservation__event_id=rehearsal.copy, state=Payment.State.CHARGING
    )
    return list(charging.values_list("number", flat=True))


def late_charges(rehearsal: Rehearsal) -> list[str]:
    """Payments that ended without a sale although the gateway still has money of them."""
    ended = Payment.objects.filter(
        reservation__event_id=rehearsal.copy,
        state__in=[Payment.State.FAILED, Payment.State.CANCELLED],
    )
    charges = gateway_ledger.charges_of(list(ended.values_list("number", flat=True)))
    return [charge["payment"] for charge in charges if charge["amount"] > charge["refunded"]]
