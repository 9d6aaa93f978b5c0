"""What happens to money by the clock."""

from celery import shared_task

from payments import saga, selectors, services
from ticketing.core import clock


@shared_task(name="payments.resume")
def resume() -> None:
    """Each unfinished payment gets a task of its own: one slow answer holds up no other."""
    for pk in services.claim_due_payments(now=clock.now()):
        settle.apply_async([pk], expires=saga.LEASE.seconds)


@shared_task(name="payments.settle")
def settle(pk: int) -> None:
    services.settle(pk=pk, now=clock.now())


@shared_task(name="payments.deliver")
def deliver() -> None:
    services.deliver_messages(now=clock.now())


@shared_task(name="payments.refund_event")
def refund_event(event_id: int, why: str, by: int | None = None) -> None:
    """A batch at a time; what is left goes into the next task, so that a crash loses nothing."""
    operator = selectors.operator(by)
    if services.refund_event_batch(event_id=event_id, why=why, by=operator, now=clock.now()):
        refund_event.delay(event_id, why, by)
