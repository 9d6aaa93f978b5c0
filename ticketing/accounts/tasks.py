"""Background and scheduled tasks of accounts."""

from smtplib import SMTPException
from typing import Any

from celery import shared_task

from ticketing.accounts import services
from ticketing.core import clock

MAIL: dict[str, Any] = {
    "expires": 3600,
    "autoretry_for": (OSError, SMTPException),
    "retry_backoff": 5,
    "max_retries": 5,
}


@shared_task(name="accounts.mail_password_reset", **MAIL)
def mail_password_reset(email: str, language: str) -> None:
    services.mail_password_reset(email=email, language=language)


@shared_task(name="accounts.mail_reset_link", **MAIL)
def mail_reset_link(user_id: int, language: str) -> None:
    services.mail_reset_link(user_id=user_id, language=language)


@shared_task(name="accounts.mail_sign_up", **MAIL)
def mail_sign_up(email: str, next_page: str, language: str) -> None:
    services.mail_sign_up(email=email, next_page=next_page, language=language)


@shared_task(name="accounts.mail_confirmation", **MAIL)
def mail_confirmation(user_id: int, language: str) -> None:
    services.mail_confirmation(user_id=user_id, language=language)


@shared_task(name="accounts.mail_notices", expires=10)
def mail_notices() -> None:
    services.mail_notices(now=clock.now())


@shared_task(name="accounts.delete_expired_sessions", expires=3600)
def delete_expired_sessions() -> None:
    services.delete_expired_sessions(now=clock.now())
