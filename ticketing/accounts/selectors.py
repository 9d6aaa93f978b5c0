"""Who is calling, and what is theirs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from django.contrib.auth import SESSION_KEY
from django.db.models import QuerySet

from ticketing.accounts.models import ApiToken, User
from ticketing.accounts.sessions import CALLER, SessionStore


@dataclass(frozen=True)
class Caller:
    """As much of a person as the hot paths need; from a session, without SQL."""

    id: int
    name: str
    is_staff: bool

    is_authenticated: ClassVar[bool] = True

    @classmethod
    def of(cls, user: User) -> "Caller":
        return cls(id=user.pk, name=user.display_name, is_staff=user.is_staff)


def caller(session_key: str | None) -> Caller | None:
    return caller_in(SessionStore(session_key).load()) if session_key else None


async def acaller(session_key: str | None) -> Caller | None:
    return caller_in(await SessionStore(session_key).aload()) if session_key else None


def caller_in(session: Mapping[str, Any]) -> Caller | None:
    """Whoever logged in to this session; a session ends as soon as what it says is no longer so."""
    if SESSION_KEY not in session or CALLER not in session:
        return None
    return Caller(id=int(session[SESSION_KEY]), **session[CALLER])


def live_tokens(user: User) -> QuerySet[ApiToken]:
    return user.api_tokens.filter(revoked_at=None)


def session_data(session_key: str | None) -> dict[str, Any]:
    return SessionStore(session_key).load() if session_key else {}
