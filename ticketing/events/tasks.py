"""Scheduled tasks of events."""

from celery import shared_task

from ticketing.core import clock
from ticketing.events import services


@shared_task(name="ticketing.open_due_sales")
def open_due_sales() -> None:
    services.open_due_sales(now=clock.now())
