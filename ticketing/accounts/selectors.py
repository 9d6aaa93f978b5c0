"""The caller of a request, and a user's API tokens."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from django.contrib.auth import SESSION_KEY
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest

from ticketing.accounts.errors import EmailNotConfirmed
from ticketing.accounts.models import ApiToken, Consent, Identity, LegalDocument, Passkey, User
from ticketing.accounts.sessions import (  # noqa: F401
    CALLER,
    ENDED,
    SessionStore,
    acopy,
    cache_prefix,
    is_session_key,
)
from ticketing.core import clock
from ticketing.core.fast_path.marks import marks_of
from ticketing.core.prepared_queries import Parameter, Parameters, PreparedQuery
from ticketing.core.sql import arows
from ticketing.core.ttl_cache import ttl_cache

BIRTH_YEAR = """
SELECT birth_year FROM accounts_identity
WHERE user_id = %(user)s::bigint AND released_at IS NULL
"""

# In this order: most browsers also name those whose pages they imitate.
BROWSERS = (
    *(("KAKAOTALK", "KakaoTalk"), ("NAVER", "Naver"), ("Whale", "Whale"), ("Edg", "Edge")),
    *(("SamsungBrowser", "Samsung Internet"), ("Firefox", "Firefox"), ("Chrome", "Chrome")),
    ("Safari", "Safari"),
)
SYSTEMS = (
    *(("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows")),
    *(("Mac OS", "Mac"), ("Linux", "Linux")),
)


@dataclass(frozen=True)
class Caller:
    """The logged-in user as far as hot paths need it: from the session, without SQL."""

    id: int
    name: str
    is_staff: bool
    is_confirmed: bool = False  # sessions from before lack it
    since: int = 0  # when the account was made, in seconds; 0: unknown
    birth_year: int = 0  # of the verified person; 0: nobody has verified

    is_authenticated: ClassVar[bool] = True

    @classmethod
    def of(cls, user: User) -> "Caller":
        return cls(
            id=user.pk,
            name=user.display_name,
            is_staff=user.is_staff,
            is_confirmed=user.is_confirmed,
            since=int(user.date_joined.timestamp()),
            birth_year=user.birth_year,
        )


def session_data(session_key: str | None) -> dict[str, Any]:
    """What the session holds; empty if there is none."""
    return SessionStore(session_key).load() if session_key else {}


def caller(session_key: str | None) -> Caller | None:
    return caller_in(session_data(session_key))


async def asession_data(session_key: str | None) -> dict[str, Any]:
    if not is_session_key(session_key):
        return {}
    copy = await acopy(session_key)
    if copy is None:
        return await SessionStore(session_key).aload()
    return {} if copy == ENDED else copy


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


def require_confirmed(user_id: int) -> None:
    """Refuse somebody who may have signed up with another person's address."""
    if not User.objects.filter(pk=user_id, email_confirmed_at__isnull=False).exists():
        raise EmailNotConfirmed()


def birth_year(user_id: int) -> int:
    """The year of birth of the verified person; 0: nobody has verified the account."""
    verified = Identity.objects.filter(pk=user_id, released_at=None)
    return verified.values_list("birth_year", flat=True).first() or 0


def verified_among(user_ids: Collection[int]) -> set[int]:
    """Those of these accounts whose owner has verified who they are."""
    verified = Identity.objects.filter(pk__in=user_ids, released_at=None)
    return set(verified.values_list("pk", flat=True))


def verified_since(times: Mapping[int, datetime]) -> set[int]:
    """Those of these accounts whose owner has verified, perhaps again, since the given time."""
    verified = Identity.objects.filter(pk__in=times.keys(), released_at=None)
    return {pk for pk, at in verified.values_list("pk", "verified_at") if at >= times[pk]}


async def abirth_year(user_id: int) -> int:
    """The same for coroutines, without a thread."""
    found = await arows(BIRTH_YEAR, {"user": user_id})
    return int(found[0]["birth_year"]) if found else 0


@dataclass(frozen=True)
class Device:
    """A session as its owner sees it."""

    public_id: str
    label: str
    address: str
    since: datetime
    is_this: bool


def devices(user: User, session_key: str | None, *, now: datetime) -> list[Device]:
    """Where the user is logged in, this device first."""
    found = [
        Device(
            public_id=session.public_id,
            label=device_label(session.agent),
            address=session.address,
            since=session.created_at,
            is_this=session.session_key == session_key,
        )
        for session in user.sessions.filter(expire_date__gt=now).order_by("-created_at")
    ]
    return sorted(found, key=lambda device: not device.is_this)


def device_label(agent: str) -> str:
    """Browser and system, as far as the browser says."""
    browser = next((name for mark, name in BROWSERS if mark in agent), "")
    system = next((name for mark, name in SYSTEMS if mark in agent), "")
    return ", ".join(filter(None, (browser, system)))


def passkeys(user: User) -> QuerySet[Passkey]:
    return Passkey.objects.filter(user=user)


def live_tokens(user: User, *, now: datetime) -> QuerySet[ApiToken]:
    return user.api_tokens.filter(revoked_at=None, expires_at__gt=now)


def current_documents(
    kinds: Collection[str] = LegalDocument.Kind.values, *, now: datetime | Parameter
) -> QuerySet[LegalDocument]:
    """The valid version of each of these documents that the site has."""
    published = LegalDocument.objects.filter(kind__in=kinds, published_at__lte=now)
    newest = published.order_by("kind", "-published_at", "-version").distinct("kind")
    return LegalDocument.objects.filter(pk__in=newest.values("pk")).order_by("pk")


def missing_documents(*, user_id: int, order: str = "", now: datetime) -> list[LegalDocument]:
    """What the person has to agree to before they go on: for an order, with its code."""
    query = _MISSING_FOR_ORDER if order else _MISSING_FOR_ACCOUNT
    return query.all(user=user_id, order=order, now=now)


def _missing_documents(kinds: Collection[str], it: Parameters) -> QuerySet[LegalDocument]:
    given = Consent.objects.filter(user_id=it("user"), document=OuterRef("pk"), withdrawn_at=None)
    agreed: Any = Exists(given.filter(about=""))
    if kinds != LegalDocument.REQUIRED:
        agreed |= Exists(given.filter(about=it("order")))
    return current_documents(kinds, now=it("now")).exclude(agreed)


_MISSING_FOR_ACCOUNT = PreparedQuery(lambda it: _missing_documents(LegalDocument.REQUIRED, it))
_MISSING_FOR_ORDER = PreparedQuery(
    lambda it: _missing_documents((*LegalDocument.REQUIRED, *LegalDocument.OF_ORDERS), it)
)


def agreed_kinds(user_id: int) -> set[str]:
    """The kinds of documents, optional ones too, of which any version is agreed to now."""
    live = Consent.objects.filter(user_id=user_id, about="", withdrawn_at=None)
    return set(live.values_list("document__kind", flat=True))


@ttl_cache(10)
def footer_documents() -> dict[str, LegalDocument]:
    """The documents that every page links to, read once for a crowd."""
    found = sorted(current_documents(now=clock.now()), key=lambda each: each.kind_number)
    return {document.kind: document for document in found}
