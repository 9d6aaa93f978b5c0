"""Scheduled tasks of the console."""

from datetime import date, timedelta

from celery import shared_task
from django.utils.timezone import localdate

from ticketing.console import services
from ticketing.core import clock
from ticketing.events import services as events


@shared_task(name="console.sample")
def sample() -> None:
    services.sample_sales(now=clock.now())


@shared_task(name="console.run_autopilot")
def run_autopilot() -> None:
    services.run_autopilots(now=clock.now())


@shared_task(name="console.expire_approvals")
def expire_approvals() -> None:
    events.expire_approvals(now=clock.now())


@shared_task(name="console.reconcile")
def reconcile() -> None:
    now = clock.now()
    services.reconcile_day(day=localdate(now) - timedelta(days=1), now=now)


@shared_task(name="console.reconcile_day")
def reconcile_day(day: str) -> None:
    services.start_reconciliation(day=date.fromisoformat(day), now=clock.now())
