"""Periodic tasks of payments."""

from celery import shared_task
from django.db import InterfaceError, OperationalError

from payments import services
from payments.saga.schedule import LEASE
from ticketing.core import clock


@shared_task(name="payments.resume")
def resume() -> None:
    """Start a task for each due payment, so that one slow answer delays no other."""
    for pk in services.claim_due_payments(now=clock.now()):
        settle.apply_async([pk], expires=LEASE.seconds)


@shared_task(
    name="payments.settle",
    autoretry_for=(OperationalError, InterfaceError),
    retry_backoff=1,
    retry_backoff_max=16,
    max_retries=6,
)
def settle(pk: int) -> None:
    """Retried while the database restarts: no other worker takes it before the lease ends."""
    services.settle_payment(pk=pk, now=clock.now())


@shared_task(name="payments.deliver")
def deliver() -> None:
    services.deliver_messages(now=clock.now())


@shared_task(name="payments.refund_cancelled_events")
def refund_cancelled_events() -> None:
    """One batch per run; the next run goes on, also after a crash."""
    services.refund_cancelled_events(now=clock.now())
