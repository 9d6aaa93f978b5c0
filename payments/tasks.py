"""What happens to money by the clock."""

from celery import shared_task
from django.db import InterfaceError, OperationalError

from payments import saga, services
from ticketing.core import clock


@shared_task(name="payments.resume")
def resume() -> None:
    """Each unfinished payment gets a task of its own: one slow answer holds up no other."""
    for pk in services.claim_due_payments(now=clock.now()):
        settle.apply_async([pk], expires=saga.LEASE.seconds)


@shared_task(
    name="payments.settle",
    autoretry_for=(OperationalError, InterfaceError),
    retry_backoff=1,
    retry_backoff_max=16,
    max_retries=6,
)
def settle(pk: int) -> None:
    """A database that restarts is waited for: until the lease ends nobody else would look."""
    services.settle(pk=pk, now=clock.now())


@shared_task(name="payments.deliver")
def deliver() -> None:
    services.deliver_messages(now=clock.now())


@shared_task(name="payments.refund_cancelled_events")
def refund_cancelled_events() -> None:
    """A batch at a time, as long as there is money left: a crash loses nothing."""
    services.refund_cancelled_events(now=clock.now())
