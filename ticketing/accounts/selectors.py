"""The caller of a request, and a user's API tokens."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from django.contrib.auth import SESSION_KEY
from django.db.models import QuerySet
from django.http import HttpRequest

from ticketing.accounts.models import ApiToken, User
from ticketing.accounts.sessions import CALLER, ENDED, SessionStore, cache_prefix  # noqa: F401
from ticketing.core.fast_path.marks import marks_of


@dataclass(frozen=True)
class Caller:
    """The logged-in user as far as hot paths need it: from the session, without SQL."""

    id: int
    name: str
    is_staff: bool

    is_authenticated: ClassVar[bool] = True

    @classmethod
    def of(cls, user: User) -> "Caller":
        return cls(id=user.pk, name=user.display_name, is_staff=user.is_staff)


def session_data(session_key: str | None) -> dict[str, Any]:
    """What the session holds; empty if there is none."""
    return SessionStore(session_key).load() if session_key else {}


def caller(session_key: str | None) -> Caller | None:
    return caller_in(session_data(session_key))


async def asession_data(session_key: str | None) -> dict[str, Any]:
    return await SessionStore(session_key).aload() if session_key else {}


async def acaller(session_key: str | None) -> Caller | None:
    return caller_in(await asession_data(session_key))


def page_caller(request: HttpRequest) -> Caller | None:
    """Who asks for a public page; in a copy for people who are logged in, a stand-in for them."""
    caller = caller_in(getattr(request, "session", {}))  # asked for copies, too: `Vary: Cookie`
    if (marks := marks_of(request)) and marks.variant:
        return Caller(id=0, name=marks.mark("name"), is_staff=False)
    return caller


def caller_in(session: Mapping[str, Any]) -> Caller | None:
    """Who is logged in to this session; a session ends when its data about the user changes."""
    if SESSION_KEY not in session or CALLER not in session:
        return None
    return Caller(id=int(session[SESSION_KEY]), **session[CALLER])


def live_tokens(user: User) -> QuerySet[ApiToken]:
    return user.api_tokens.filter(revoked_at=None)
