"""What can be seen of a rehearsal, also by whoever judges it later."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import Count, Exists, OuterRef, Q

from payments.models import Payment
from payments.selectors import breaker_state
from reservations.models import ReservedSeat
from ticketing.console import selectors as console
from ticketing.events.models import Event, Seat
from ticketing.rehearsal import gateway_ledger
from ticketing.rehearsal.errors import NoRehearsal, NothingToRehearse
from ticketing.rehearsal.models import Rehearsal
from waiting_queue import selectors as queues
from waiting_queue.models import QueueJournal, SaleQueue

SHOWN_KNOBS = (
    *("max_inside", "admit_per_second", "capacity", "claim_seconds"),
    *("pass_seconds", "pass_max_seconds", "absence_seconds"),
)
COMING = (Event.State.DRAFT, Event.State.ANNOUNCED, Event.State.ON_SALE)
MOST_ENTRIES = 10_000


def rehearsal_called(code: str) -> Rehearsal:
    found = Rehearsal.objects.filter(code=code).defer("html", "json").first()
    if found is None:
        raise NoRehearsal()
    return found


def code_under_way() -> str:
    codes = Rehearsal.objects.filter(cleaned_at=None).values_list("code", flat=True)
    return codes.first() or "?"


def next_sale() -> Event:
    """The next sale that has a queue and seats; where none is to come, the last that opened."""
    seats = Seat.objects.filter(event=OuterRef("pk"))
    sales = Event.objects.filter(Exists(seats), rehearsal_of=None, state__in=COMING)
    waiting = sales.filter(queue__state__in=[SaleQueue.State.SCHEDULED, SaleQueue.State.LOBBY])
    found = waiting.order_by("queue__opens_at", "pk").first()
    found = found or sales.filter(queue__isnull=False).order_by("-queue__opens_at", "pk").first()
    if found is None:
        raise NothingToRehearse()
    return found


def setting(rehearsal: Rehearsal, now: datetime) -> dict[str, Any]:
    """Everything that whoever runs it has to know."""
    copy = Event.objects.get(pk=rehearsal.copy)
    queue = SaleQueue.objects.get(pk=copy.pk)
    options = rehearsal.options
    return {
        "code": rehearsal.code,
        "event": copy.pk,
        "source": rehearsal.source_id,
        "title": {"ko": copy.title_ko, "en": copy.title_en},
        **{name: options[name] for name in ("fans", "minutes", "profile", "faults", "seed")},
        "cookie": settings.SESSION_COOKIE_NAME,
        "limit_per_person": copy.seats_per_person,
        "hold_seconds": copy.hold_seconds,
        "seats": copy.seats.exclude(state=Seat.State.BLOCKED).count(),
        "payments": gateway_ledger.is_here(),
        "knobs": knobs(queue),
        "seed_hash": queues.seed_hash(queue.seed),
        "server_time": now,
    }


def knobs(queue: SaleQueue) -> dict[str, Any]:
    return {name: getattr(queue, name) for name in SHOWN_KNOBS}


def pulse(rehearsal: Rehearsal, now: datetime) -> dict[str, Any]:
    """The sale at this moment; asked every second, so a handful of quick questions."""
    queue = SaleQueue.objects.get(pk=rehearsal.copy)
    seen = queues.overview(queue, now=now)
    return {
        "at": now,
        "state": queue.state,
        "lobby": seen.lobby,
        "waiting": seen.waiting,
        "ready": seen.ready,
        "inside": seen.inside,
        "max_inside": queue.max_inside,
        "admit_per_second": queue.admit_per_second,
        "seats": _seats_now(queue.pk),
        "tick_age_seconds": seen.tick_age,
        "database_ms": console.database_times()["database_ms"],
        "redis_ms": console.ping_ms(),
        "breaker": breaker_state().state,
    }


def _seats_now(event_id: int) -> dict[str, int]:
    """Seats that are being paid for are held, too: they are told apart here."""
    states = seats_by_state(event_id)
    paid_now = Q(reservation__event_id=event_id, reservation__state="paying", live=True)
    paying = ReservedSeat.objects.filter(paid_now).count()
    held = max(states["held"] - paying, 0)
    return {"free": states["available"], "held": held, "paying": paying, "sold": states["sold"]}


def seats_by_state(event_id: int) -> dict[str, int]:
    rows = Seat.objects.filter(event_id=event_id).order_by().values_list("state")
    return dict.fromkeys(Seat.State.values, 0) | dict(rows.annotate(Count("pk")))


def is_ending(rehearsal: Rehearsal) -> bool:
    """The line is closed, and who was still in it is not yet written down."""
    closed = SaleQueue.objects.filter(pk=rehearsal.copy, state=SaleQueue.State.CLOSED)
    return closed.exclude(epoch="").exists()


def journal(rehearsal: Rehearsal, *, after: int, now: datetime) -> dict[str, Any]:
    """In order, as far as it was copied; `more` also while some of it is still in Redis."""
    entries = QueueJournal.objects.filter(event_id=rehearsal.copy, pk__gt=after).order_by("pk")
    rows = list(entries.values("id", "at", "person", "kind", "number")[: MOST_ENTRIES + 1])
    queue = SaleQueue.objects.get(pk=rehearsal.copy)
    backlog = queues.overview(queue, now=now).backlog
    more = len(rows) > MOST_ENTRIES or backlog > 0 or is_ending(rehearsal)
    return {"entries": rows[:MOST_ENTRIES], "more": more}


def unknown_charges(rehearsal: Rehearsal) -> list[str]:
    """Payments of which the gateway has not said yet what became of them."""
    charging = Payment.objects.filter(
        reservation__event_id=rehearsal.copy, state=Payment.State.CHARGING
    )
    return list(charging.values_list("number", flat=True))


def late_charges(rehearsal: Rehearsal) -> list[str]:
    """Payments that came to nothing though the gateway took money, and has it still."""
    ended = Payment.objects.filter(
        reservation__event_id=rehearsal.copy,
        state__in=[Payment.State.FAILED, Payment.State.CANCELLED],
    )
    charges = gateway_ledger.charges_of(list(ended.values_list("number", flat=True)))
    return [it["payment"] for it in charges if it["amount"] > it["refunded"]]
