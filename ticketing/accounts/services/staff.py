"""One rule for everything that only staff may do: pages, API calls, sockets and tokens alike."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.contrib.sessions.backends.base import SessionBase

from ticketing.accounts.errors import LogInTooOld, SecondFactorMissing
from ticketing.accounts.models import ApiToken, User
from ticketing.accounts.second_factor import has_duty, lacks_own_factor, needs_second_factor
from ticketing.accounts.sessions import CALLER, FRESH_AT, STAFF_SEEN, STAFF_SINCE, store_caller
from ticketing.core import clock
from ticketing.core.errors import NotAllowed

# Refunds and roles take a password or code that was entered within this time.
FRESH_FOR = timedelta(minutes=10)
SEEN_PRECISION = timedelta(minutes=1)


def require_staff(
    *, user: User, permission: str, session: Mapping[str, Any], token: ApiToken | None = None
) -> None:
    """Refuse who lacks the permission, or the second factor in the session or behind the token."""
    if not (user.is_active and user.is_staff and user.has_perm(permission)):
        raise NotAllowed()
    if token is None:
        is_missing = needs_second_factor(user, session)
    else:
        is_missing = not token.has_second_factor and has_duty(user)
    if is_missing:
        raise SecondFactorMissing()


def require_fresh(session: Mapping[str, Any]) -> None:
    """Refuse what a session that was left open must not be used for."""
    entered = float(session.get(FRESH_AT) or 0)
    if clock.now().timestamp() > entered + FRESH_FOR.total_seconds():
        raise LogInTooOld()


def require_factor_owner(*, user: User, session: Mapping[str, Any]) -> None:
    """Refuse to add or remove a second factor where the password alone was shown for one.

    The first factor of all takes a fresh log-in only.
    """
    require_fresh(session)
    if lacks_own_factor(user, session):
        raise SecondFactorMissing()


def mark_fresh(*, session: SessionBase, user: User) -> None:
    """The user has just proved again who they are; with a second factor they act as staff now."""
    session[FRESH_AT] = clock.now().timestamp()
    store_caller(session, user)


def mark_seen(session: SessionBase) -> None:
    """Keep a session of staff alive; it ends after a rest (`STAFF_REST_MINUTES`)."""
    now = clock.now().timestamp()
    if STAFF_SINCE not in session and not session.get(CALLER, {}).get("is_staff"):
        return
    session.setdefault(STAFF_SINCE, now)
    if now > float(session.get(STAFF_SEEN) or 0) + SEEN_PRECISION.total_seconds():
        session[STAFF_SEEN] = now
