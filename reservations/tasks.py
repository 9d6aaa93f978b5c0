"""Scheduled work on reservations."""

from celery import shared_task

from reservations import services
from ticketing.core import clock

# Per run, so that other tasks get their turn; the schedule starts it again within a second.
MAX_BATCHES = 25


@shared_task(name="reservations.expire_holds")
def expire_holds() -> None:
    services.expire_holds(now=clock.now())


@shared_task(name="reservations.update_sold_out")
def update_sold_out() -> None:
    services.update_sold_out(now=clock.now())


@shared_task(name="reservations.release_abandoned_holds")
def release_abandoned_holds() -> None:
    services.release_abandoned_holds(now=clock.now())


@shared_task(name="reservations.complete_finished_passes")
def complete_finished_passes() -> None:
    services.complete_finished_passes(now=clock.now())


@shared_task(name="reservations.mark_people_at_limit")
def mark_people_at_limit() -> None:
    services.mark_people_at_limit()


@shared_task(name="reservations.recount_events_on_sale")
def recount_events_on_sale() -> None:
    services.recount_events_on_sale()


@shared_task(name="reservations.assign_entry_numbers")
def assign_entry_numbers() -> None:
    services.assign_entry_numbers(now=clock.now())


@shared_task(name="reservations.process_returned_seats")
def process_returned_seats() -> None:
    services.process_returned_seats(now=clock.now())


@shared_task(name="reservations.process_hold_requests")
def process_hold_requests() -> None:
    for _ in range(MAX_BATCHES):
        if not services.process_hold_requests(now=clock.now()):
            break
