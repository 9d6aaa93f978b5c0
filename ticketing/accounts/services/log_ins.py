"""Sessions: opened for people of a rehearsal, ended, deleted when they have expired."""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from ticketing.accounts.models import SecurityEvent, Session, User
from ticketing.accounts.sessions import SessionStore


def open_sessions(*, sessions: Mapping[str, User], now: datetime) -> None:
    """Open a session under each of these keys; repeating it changes nothing."""
    expires = now + timedelta(seconds=settings.SESSION_COOKIE_AGE)
    SessionStore.create_all(sessions, expires=expires)


def end_sessions(*, user_ids: Collection[int]) -> list[str]:
    """End every session of these users and return the session keys."""
    sessions = Session.objects.filter(user_id__in=user_ids)
    keys = list(sessions.values_list("session_key", flat=True))
    SessionStore.end(keys)
    return keys


@transaction.atomic
def log_out_everywhere(*, user: User) -> None:
    """End every session and every API token."""
    user.end_access()
    user.record(SecurityEvent.Kind.LOGGED_OUT)


def end_session(*, user: User, public_id: str) -> bool:
    """End one of the user's sessions; whether it was there."""
    for session in user.sessions.all():
        if session.public_id == public_id:
            SessionStore.end([session.session_key])
            user.record(SecurityEvent.Kind.SESSION_ENDED, detail=session.address)
            return True
    return False


def delete_expired_sessions(*, now: datetime, batch: int = 1000) -> int:
    """Delete expired sessions in batches, so that no statement takes long."""
    deleted = 0
    expired = Session.objects.filter(expire_date__lte=now).order_by("expire_date")
    while keys := list(expired.values_list("pk", flat=True)[:batch]):
        deleted += Session.objects.filter(pk__in=keys, expire_date__lte=now).delete()[0]
        if len(keys) < batch:
            break
    return deleted
