"""Reads of refunds, and of what is still to be refunded."""

from collections import Counter
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from payments.models import Payment, Refund
from payments.selectors.payments import PAID
from reservations.models import Reservation
from ticketing.events.models import Approval, Event

NEWEST = 5


def open_refund(payment: Payment) -> Refund | None:
    return payment.refunds.filter(state=Refund.State.REQUESTED).first()


def refundable_payments(event_id: int, now: datetime) -> QuerySet[Payment]:
    """Paid payments of an event with money left; a refused refund is retried after a day."""
    refused = Refund.objects.filter(
        payment=OuterRef("pk"), state=Refund.State.REFUSED, ended_at__gt=now - timedelta(days=1)
    )
    return Payment.objects.filter(
        ~Exists(refused),
        reservation__event_id=event_id,
        reservation__state=Reservation.State.CONFIRMED,
        state__in=PAID,
        charged__gt=F("refunded") + F("fees"),
    ).order_by("pk")


def has_refunds_under_way(event_id: int) -> bool:
    """Whether an order that still has its seats is being refunded: of some of them, perhaps."""
    sold = Payment.objects.filter(
        reservation__event_id=event_id, reservation__state=Reservation.State.CONFIRMED
    )
    return sold.filter(state=Payment.State.REFUNDING).exists()


def cancelled_events_to_refund(now: datetime) -> list[int]:
    """Cancelled events that have payments to refund."""
    cancelled = Event.objects.filter(state=Event.State.CANCELLED).order_by("pk")
    paid = Payment.objects.filter(reservation__event=OuterRef("pk"), state__in=PAID)
    ids = cancelled.filter(Exists(paid)).values_list("pk", flat=True)
    return [pk for pk in ids if refundable_payments(pk, now).exists()]


def approved_refunds() -> list[Approval]:
    """Refunds of an event that a second person approved, and that may not all be begun."""
    approved = Approval.objects.filter(
        action=Approval.Action.REFUND_EVENT, state=Approval.State.APPROVED, finished_at=None
    )
    return list(approved.select_related("asked_by").order_by("pk"))


def refunds_of_cancelled_events() -> list[dict[str, Any]]:
    """The newest cancelled events with how many of their payments are refunded, for operators."""
    taken = Payment.objects.filter(
        reservation__event__state=Event.State.CANCELLED, state__in=(*PAID, Payment.State.REFUNDED)
    )
    grouped = taken.values(event=F("reservation__event")).annotate(
        all=Count("pk"), done=Count("pk", filter=Q(state=Payment.State.REFUNDED))
    )
    newest = list(grouped.order_by("-event")[:NEWEST])
    events = Event.objects.in_bulk([row["event"] for row in newest])
    return [{**row, "event": events[row["event"]]} for row in newest]


def refund_progress(event_id: int) -> Counter[str]:
    """How many payments of an event are in each state."""
    payments = Payment.objects.filter(reservation__event_id=event_id)
    return Counter(payments.values_list("state", flat=True))
