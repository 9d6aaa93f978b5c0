"""API tokens: created with the password, used within their scopes, ended with every change."""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from ticketing.accounts import locks, rate_limits
from ticketing.accounts.errors import (
    BadToken,
    EmailNotConfirmed,
    ScopeMissing,
    TooManyTokens,
    WrongPassword,
)
from ticketing.accounts.models import TOKEN_LASTS, ApiToken, Scope, SecurityEvent, User
from ticketing.accounts.selectors import live_tokens
from ticketing.core.errors import NotAllowed

LAST_USED_PRECISION = timedelta(minutes=1)
DEFAULT_SCOPES = (Scope.READ, Scope.BUY)


@transaction.atomic
def create_token(
    *,
    user: User,
    name: str,
    scopes: Collection[str] = DEFAULT_SCOPES,
    lasts: timedelta = TOKEN_LASTS,
    has_second_factor: bool = False,
    address: str = "",
    now: datetime,
) -> tuple[ApiToken, str]:
    """A new API token and its secret, which is not stored.

    `user` is as it was when the password was checked: a change that was committed since then, and
    ended all tokens, prevents this one, too.
    """
    current = locks.user_for_update(user.pk)
    if current.password != user.password or not current.is_active:
        raise WrongPassword()
    if not current.is_confirmed:
        raise EmailNotConfirmed()
    if not current.is_staff and not Scope.of_fans() >= set(scopes):
        raise NotAllowed()
    if live_tokens(user, now=now).count() >= rate_limits.LIVE_TOKENS:
        raise TooManyTokens(limit=rate_limits.LIVE_TOKENS)
    secret = ApiToken.make_secret()
    token = ApiToken.objects.create(
        user=user,
        name=name,
        digest=ApiToken.digest_of(secret),
        scopes=Scope.joined(scopes),
        has_second_factor=has_second_factor,
        created_from=address,
        created_at=now,
        expires_at=now + lasts,
    )
    current.changed_from = address
    current.record(SecurityEvent.Kind.TOKEN_CREATED, detail=name)
    return token, secret


def issue_temporary_token(*, user: User, name: str, until: datetime, now: datetime) -> str:
    """Issue a token to operate with and return its secret; expired ones of this name are deleted.

    The caller has checked who asks: a page behind the second factor, or a shell of the site.
    """
    user.api_tokens.filter(name=name, expires_at__lte=now).delete()
    secret = ApiToken.make_secret()
    user.api_tokens.create(
        name=name,
        digest=ApiToken.digest_of(secret),
        scopes=Scope.joined((Scope.READ, Scope.OPERATE)),
        has_second_factor=True,
        created_at=now,
        expires_at=until,
    )
    return secret


def authenticate_token(
    *, secret: str, scope: str = "", address: str = "", now: datetime
) -> ApiToken:
    """The valid token with this secret; records time and origin of its use once a minute."""
    digest = ApiToken.digest_of(secret)
    token = ApiToken.objects.select_related("user__identity").filter(digest=digest).first()
    if token is None or not token.is_live(now) or not token.user.is_active:
        raise BadToken()
    if scope and not token.allows(scope):
        raise ScopeMissing(scope=scope)
    if token.last_used_at is None or token.last_used_at <= now - LAST_USED_PRECISION:
        outdated = Q(last_used_at=None) | Q(last_used_at__lte=now - LAST_USED_PRECISION)
        use = {"last_used_at": now, "last_used_from": address}
        ApiToken.objects.filter(outdated, pk=token.pk).update(**use)
        token.last_used_at, token.last_used_from = now, address
    return token


@transaction.atomic
def revoke_token(*, token: ApiToken, now: datetime) -> None:
    """Revoke the token; revoking it again keeps the first time."""
    if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now):
        token.user.record(SecurityEvent.Kind.TOKEN_REVOKED, detail=token.name)
