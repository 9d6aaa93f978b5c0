"""Background and scheduled tasks of privacy."""

from smtplib import SMTPException
from typing import Any

from celery import shared_task

from ticketing.core import clock
from ticketing.privacy import services

MAIL: dict[str, Any] = {
    "expires": 3600,
    "autoretry_for": (OSError, SMTPException),
    "retry_backoff": 5,
    "max_retries": 5,
}


@shared_task(name="privacy.make_export", **MAIL | {"expires": 24 * 3600})
def make_export(export_id: int) -> None:
    services.make_export(export_id=export_id, now=clock.now())


@shared_task(name="privacy.mail_deleted", **MAIL)
def mail_deleted(email: str, name: str, language: str) -> None:
    services.mail_deleted(email=email, name=name, language=language)


@shared_task(name="privacy.purge", expires=3600)
def purge() -> None:
    services.purge(now=clock.now())
