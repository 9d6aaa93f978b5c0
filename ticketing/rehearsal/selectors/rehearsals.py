"""Rehearsals, and the sale that the next one would copy."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import Exists, OuterRef

from ticketing.events.models import Event, Seat
from ticketing.rehearsal import gateway_ledger
from ticketing.rehearsal.errors import NoUpcomingSale, RehearsalNotFound
from ticketing.rehearsal.models import Rehearsal
from ticketing.rehearsal.selectors.sale import knobs
from waiting_queue.models import SaleQueue

UPCOMING = (Event.State.DRAFT, Event.State.ANNOUNCED, Event.State.ON_SALE)


def rehearsal_by_code(code: str) -> Rehearsal:
    rehearsal = Rehearsal.objects.filter(code=code).defer("html", "json").first()
    if rehearsal is None:
        raise RehearsalNotFound()
    return rehearsal


def code_under_way() -> str:
    codes = Rehearsal.objects.filter(cleaned_at=None).values_list("code", flat=True)
    return codes.first() or "?"


def next_sale() -> Event:
    """The next sale with a queue and seats, or the last one that opened if none is coming."""
    seats = Seat.objects.filter(event=OuterRef("pk"))
    sales = Event.objects.filter(Exists(seats), rehearsal_of=None, state__in=UPCOMING)
    waiting = sales.filter(queue__state__in=[SaleQueue.State.SCHEDULED, SaleQueue.State.LOBBY])
    event = waiting.order_by("queue__opens_at", "pk").first()
    event = event or sales.filter(queue__isnull=False).order_by("-queue__opens_at", "pk").first()
    if event is None:
        raise NoUpcomingSale()
    return event


def setting(rehearsal: Rehearsal, now: datetime) -> dict[str, Any]:
    """Everything that the runner has to know."""
    copy = Event.objects.select_related("queue").get(pk=rehearsal.copy)
    options = rehearsal.options
    return {
        "code": rehearsal.code,
        "source": rehearsal.source_id,
        "title": {"ko": copy.title_ko, "en": copy.title_en},
        **{name: options[name] for name in ("fans", "minutes", "profile", "faults", "seed")},
        **sale_setting(copy),
        "identity_level": copy.identity_level,
        "secret_sha256": copy.queue.secret_sha256,
        "public_value": copy.queue.public_value,
        "server_time": now,
    }


def sale_setting(event: Event) -> dict[str, Any]:
    """What simulated people have to know of a sale."""
    return {
        "event": event.pk,
        "cookie": settings.SESSION_COOKIE_NAME,
        "limit_per_person": event.seats_per_person,
        "hold_seconds": event.hold_seconds,
        "seats": event.seats.exclude(state=Seat.State.BLOCKED).count(),
        "payments": gateway_ledger.is_sandbox(),
        "knobs": knobs(event.queue),
    }
