"""Celery tasks of rehearsals."""

from celery import shared_task

from ticketing.core import clock
from ticketing.rehearsal import services


@shared_task(name="rehearsal.rehearse", expires=60)
def rehearse(code: str) -> None:
    services.start_runner(code=code, now=clock.now())


@shared_task(name="rehearsal.clean_up_forgotten")
def clean_up_forgotten() -> None:
    services.clean_up_forgotten(now=clock.now())
