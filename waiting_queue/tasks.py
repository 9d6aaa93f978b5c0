"""Tasks of the queue, scheduled every second."""

from celery import shared_task

from ticketing.core import clock
from waiting_queue import services


@shared_task(name="queue.tick")
def tick() -> None:
    services.tick_open_queues(now=clock.now())


@shared_task(name="queue.drain_journals")
def drain_journals() -> None:
    services.drain_journals()
