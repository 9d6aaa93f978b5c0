"""What happens to events by the clock."""

from celery import shared_task

from ticketing import services
from ticketing.core import clock


@shared_task(name="ticketing.open_due_sales")
def open_due_sales() -> None:
    services.open_due_sales(now=clock.now())
