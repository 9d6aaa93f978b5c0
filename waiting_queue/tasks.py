"""Tasks of the queue, scheduled every second."""

from celery import shared_task

from ticketing.core import clock
from waiting_queue import services


@shared_task(name="queue.tick")
def tick() -> None:
    services.tick_open_queues(now=clock.now(), maintain=maintain.delay)


@shared_task(name="queue.maintain", expires=5)
def maintain(event_id: int) -> None:
    """Not in the tick, so that one queue's rebuild, draw or archive delays no other queue."""
    services.maintain_queue(event_id, now=clock.now())


@shared_task(name="queue.drain_journals")
def drain_journals() -> None:
    services.drain_journals()


@shared_task(name="queue.drain_signals")
def drain_signals() -> None:
    """What places were joined with, and what follows from it."""
    services.drain_signals()
    services.handle_groups(now=clock.now())


@shared_task(name="queue.reconcile_blocks")
def reconcile_blocks() -> None:
    """Write again what operators did to people, if it did not reach Redis."""
    services.reconcile_blocks(now=clock.now())
    services.reconcile_demotions(now=clock.now())
    services.reconcile_bypasses()
