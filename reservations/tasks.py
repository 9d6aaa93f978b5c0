"""What happens to reservations by the clock."""

from celery import shared_task

from reservations import services
from ticketing.core import clock

# So many batches in one go; then others get their turn, and the next second goes on.
BATCHES = 25


@shared_task(name="reservations.expire_holds")
def expire_holds() -> None:
    services.expire_holds(now=clock.now())


@shared_task(name="reservations.release_holds_of_the_gone")
def release_holds_of_the_gone() -> None:
    services.release_holds_of_the_gone(now=clock.now())


@shared_task(name="reservations.recount_sales")
def recount_sales() -> None:
    services.recount_sales()


@shared_task(name="reservations.bring_seats_back")
def bring_seats_back() -> None:
    services.bring_seats_back(now=clock.now())


@shared_task(name="reservations.work_off_requests")
def work_off_requests() -> None:
    for _ in range(BATCHES):
        if not services.work_off_requests(now=clock.now()):
            break
