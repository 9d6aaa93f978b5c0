"""Periodic tasks of payments."""

from celery import shared_task

from payments import services
from ticketing.core import clock


@shared_task(name="payments.resume")
def resume() -> None:
    """Settle what is due in the event loop of this process: no slot waits for the gateway."""
    services.start_due_settlements(now=clock.now())


@shared_task(name="payments.deliver")
def deliver() -> None:
    services.deliver_messages(now=clock.now())


@shared_task(name="payments.refund_cancelled_events")
def refund_cancelled_events() -> None:
    """One batch per run; the next run goes on, also after a crash."""
    services.start_refunds_of_cancelled_events(now=clock.now())
