"""What can be seen of payments, each through its owner."""

from collections import Counter
from collections.abc import Collection
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from payments.breaker import Breaker
from payments.errors import NoPayment
from payments.models import OutboxMessage, Payment, Refund, RefundPolicy
from payments.store import BreakerState
from reservations.models import Reservation
from ticketing.events.models import Event
from ticketing.events.selectors import is_rehearsal, without_rehearsals

State = Payment.State
PAID = (State.SUCCEEDED, State.PARTIALLY_REFUNDED)
NEWEST = 5


def payment(pk: int) -> Payment:
    return Payment.objects.select_related("reservation__event").get(pk=pk)


def own_payment(*, number: str, fan_id: int) -> Payment:
    payments = Payment.objects.select_related("reservation__event")
    found = payments.filter(number=number, fan_id=fan_id).first()
    if found is None:
        raise NoPayment()
    return found


def own_payments(*, fan_id: int) -> QuerySet[Payment]:
    return Payment.objects.filter(fan_id=fan_id).select_related("reservation__event")


def open_payment_of(code: str) -> Payment | None:
    payments = Payment.objects.select_related("reservation__event")
    return payments.filter(reservation__code=code, state__in=Payment.OPEN).first()


def is_of_a_rehearsal(code: str) -> bool:
    event_ids = Reservation.objects.filter(code=code).values_list("event_id", flat=True)
    return is_rehearsal(event_ids.first())


def cancelled_payment(*, number: str, fan_id: int, fee: int, why: str) -> Payment | None:
    """The fan's own, if they have given it back for this very fee, or are about to."""
    asked = Refund.objects.filter(payment=OuterRef("pk"), fee=fee, why=why, by=None)
    asked = asked.filter(frees_seats=True).exclude(state=Refund.State.REFUSED)
    return own_payments(fan_id=fan_id).filter(Exists(asked), number=number).first()


def open_refund(payment: Payment) -> Refund | None:
    return payment.refunds.filter(state=Refund.State.REQUESTED).first()


def refundable_payments(event_id: int, now: datetime) -> QuerySet[Payment]:
    """Whoever of an event has paid and not got everything back; who was refused, a day later."""
    refused = Refund.objects.filter(
        payment=OuterRef("pk"), state=Refund.State.REFUSED, ended_at__gt=now - timedelta(days=1)
    )
    return Payment.objects.filter(
        ~Exists(refused),
        reservation__event_id=event_id,
        reservation__state=Reservation.State.CONFIRMED,
        state__in=PAID,
        charged__gt=F("refunded"),
    ).order_by("pk")


def cancelled_events_with_money(now: datetime) -> list[int]:
    """Events that will not take place, though people have paid."""
    cancelled = Event.objects.filter(state=Event.State.CANCELLED).order_by("pk")
    owed = Payment.objects.filter(reservation__event=OuterRef("pk"), state__in=PAID)
    ids = cancelled.filter(Exists(owed)).values_list("pk", flat=True)
    return [pk for pk in ids if refundable_payments(pk, now).exists()]


def refunds_of_cancelled_events() -> list[dict[str, Any]]:
    """How far the newest cancelled events are in paying back, for whoever waits for it."""
    taken = Payment.objects.filter(
        reservation__event__state=Event.State.CANCELLED, state__in=(*PAID, State.REFUNDED)
    )
    grouped = taken.values(event=F("reservation__event")).annotate(
        all=Count("pk"), done=Count("pk", filter=Q(state=State.REFUNDED))
    )
    newest = list(grouped.order_by("-event")[:NEWEST])
    events = Event.objects.in_bulk([found["event"] for found in newest])
    return [{**found, "event": events[found["event"]]} for found in newest]


def refund_progress(event_id: int) -> Counter[str]:
    """How many payments of an event are in which state, for whoever watches a batch."""
    mine = Payment.objects.filter(reservation__event_id=event_id)
    return Counter(mine.values_list("state", flat=True))


def policy_of(event_id: int) -> RefundPolicy:
    """The event's own terms, or the usual ones."""
    return RefundPolicy.objects.filter(event_id=event_id).first() or RefundPolicy(event_id=event_id)


def payments_of_day(day: date) -> QuerySet[Payment]:
    """By the site's own calendar."""
    payments = Payment.objects.select_related("reservation__event").order_by("pk")
    real = payments.filter(without_rehearsals("reservation__event_id"))
    return real.filter(created_at__range=day_bounds(day))


def confirmed_of_day(day: date) -> QuerySet[Reservation]:
    confirmed = Reservation.objects.filter(without_rehearsals(), state=Reservation.State.CONFIRMED)
    return confirmed.filter(created_at__range=day_bounds(day)).order_by("pk")


def day_bounds(day: date) -> tuple[datetime, datetime]:
    """Its first and last moment, by the site's own calendar."""
    begins = datetime(day.year, day.month, day.day, tzinfo=timezone.get_default_timezone())
    return begins, begins + timedelta(days=1) - timedelta(microseconds=1)


def strangers(numbers: Collection[str]) -> set[str]:
    """Those of which we know nothing."""
    return set(numbers) - set(
        Payment.objects.filter(number__in=numbers).values_list("number", flat=True)
    )


def numbered(numbers: Collection[str]) -> list[int]:
    return list(Payment.objects.filter(number__in=numbers).values_list("pk", flat=True))


def dead_messages() -> list[int]:
    dead = OutboxMessage.objects.filter(state=OutboxMessage.State.DEAD).order_by("pk")
    return list(dead.values_list("pk", flat=True))


def outbox_counts() -> dict[str, int]:
    """What waits, and what nobody could deliver."""
    undelivered = OutboxMessage.objects.exclude(state=OutboxMessage.State.DELIVERED)
    found = Counter(undelivered.values_list("state", flat=True))
    return {state: found[state] for state in ("waiting", "dead")}


def breaker_state() -> BreakerState:
    return Breaker("portone").look()
