"""Background and scheduled tasks of accounts."""

from smtplib import SMTPException

from celery import shared_task

from ticketing.accounts import services
from ticketing.core import clock


@shared_task(
    name="accounts.mail_password_reset",
    expires=3600,
    autoretry_for=(OSError, SMTPException),
    retry_backoff=5,
    max_retries=5,
)
def mail_password_reset(email: str, origin: str, language: str) -> None:
    services.mail_password_reset(email=email, origin=origin, language=language)


@shared_task(name="accounts.delete_expired_sessions", expires=3600)
def delete_expired_sessions() -> None:
    services.delete_expired_sessions(now=clock.now())
