"""Reads of payments. What a fan sees is always filtered by the fan."""

from collections import Counter
from collections.abc import Collection
from datetime import date, datetime, timedelta

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from payments import store
from payments.errors import NoPayment
from payments.models import OutboxMessage, Payment, Refund
from payments.store import BreakerState
from reservations.models import Reservation
from ticketing.events.selectors import without_rehearsals

PAID = (Payment.State.SUCCEEDED, Payment.State.PARTIALLY_REFUNDED)
SANDBOX_PATH = "/sandbox/portone"


def payment(pk: int) -> Payment:
    return Payment.objects.select_related("reservation__event").get(pk=pk)


def own_payment(*, number: str, fan_id: int) -> Payment:
    payments = Payment.objects.select_related("reservation__event")
    found = payments.filter(number=number, fan_id=fan_id).first()
    if found is None:
        raise NoPayment()
    return found


def cancelled_payment(
    *, number: str, fan_id: int, fee: int, seats: list[int], why: str
) -> Payment | None:
    """The fan's payment, if they cancelled these seats for this fee or the refund is under way."""
    same = {"fee": fee, "seats": seats, "why": why, "by": None}
    refunds = Refund.objects.filter(payment=OuterRef("pk"), **same)
    refunds = refunds.filter(frees_seats=True).exclude(state=Refund.State.REFUSED)
    payments = Payment.objects.filter(Exists(refunds), number=number, fan_id=fan_id)
    return payments.select_related("reservation__event").first()


def payments_of_day(day: date) -> QuerySet[Payment]:
    """Payments begun on that day in the site's time zone."""
    payments = Payment.objects.filter(without_rehearsals("reservation__event_id"))
    payments = payments.select_related("reservation__event").order_by("pk")
    return payments.filter(created_at__range=day_bounds(day))


def payments_begun_before(moment: datetime, numbers: Collection[str]) -> list[Payment]:
    """Those of these payments that were begun before, without rehearsals."""
    payments = Payment.objects.filter(without_rehearsals("reservation__event_id"))
    return list(payments.filter(number__in=numbers, created_at__lt=moment).order_by("pk"))


def confirmed_of_day(day: date) -> QuerySet[Reservation]:
    """Reservations that were made on that day and are confirmed."""
    reservations = Reservation.objects.filter(without_rehearsals("event_id"))
    confirmed = reservations.filter(state=Reservation.State.CONFIRMED)
    return confirmed.filter(created_at__range=day_bounds(day)).order_by("pk")


def day_bounds(day: date) -> tuple[datetime, datetime]:
    """The first and last moment of a day in the site's time zone."""
    begins = datetime(day.year, day.month, day.day, tzinfo=timezone.get_default_timezone())
    return begins, begins + timedelta(days=1) - timedelta(microseconds=1)


def unknown_numbers(numbers: Collection[str]) -> set[str]:
    """Those payment numbers that we have no row for."""
    return set(numbers) - set(
        Payment.objects.filter(number__in=numbers).values_list("number", flat=True)
    )


def payment_ids(numbers: Collection[str]) -> list[int]:
    return list(Payment.objects.filter(number__in=numbers).values_list("pk", flat=True))


def dead_messages() -> list[int]:
    dead = OutboxMessage.objects.filter(state=OutboxMessage.State.DEAD).order_by("pk")
    return list(dead.values_list("pk", flat=True))


def outbox_counts() -> dict[str, int]:
    """How many messages wait, and how many could not be delivered."""
    undelivered = OutboxMessage.objects.exclude(state=OutboxMessage.State.DELIVERED)
    counts = Counter(undelivered.values_list("state", flat=True))
    return {state: counts[state] for state in ("waiting", "dead")}


def breaker_state() -> BreakerState:
    return store.breaker_state("portone")


def is_probe_due() -> bool | None:
    return store.is_probe_due("portone")


def uses_sandbox() -> bool:
    """Whether this site pays at the sandbox, so that no money moves."""
    url = settings.PORTONE_URL.rstrip("/")
    return settings.PAYMENTS_SANDBOX and settings.DEVELOPMENT and url.endswith(SANDBOX_PATH)
