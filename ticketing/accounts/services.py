"""Accounts, sessions and API tokens."""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.tokens import default_token_generator
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.urls import reverse
from django.utils import translation
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext as _

from ticketing.accounts import rate_limits
from ticketing.accounts.errors import BadToken, EmailTaken, TooManyTokens
from ticketing.accounts.models import ApiToken, Session, User
from ticketing.accounts.selectors import live_tokens
from ticketing.accounts.sessions import SessionStore
from ticketing.core import mails

LAST_USED_PRECISION = timedelta(minutes=1)


def sign_up(
    *, email: str, password: str, display_name: str, phone: str = "", now: datetime
) -> User:
    """Create an account; of two concurrent sign-ups with one address, one succeeds."""
    try:
        with transaction.atomic():
            return User.objects.create_user(
                email, password, display_name=display_name, phone=phone, date_joined=now
            )
    except IntegrityError as error:
        raise EmailTaken() from error


def change_profile(*, user: User, email: str, display_name: str, phone: str) -> User:
    user.email, user.display_name, user.phone = email, display_name, phone
    try:
        with transaction.atomic():
            user.save(update_fields=["email", "display_name", "phone"])
    except IntegrityError as error:
        raise EmailTaken() from error
    return user


def create_users(*, names: Mapping[str, str], now: datetime) -> list[User]:
    """Create an account without a password for each e-mail address; returns them in order."""
    unusable = make_password(None)
    new = [
        User(email=email, display_name=name, password=unusable, date_joined=now)
        for email, name in names.items()
    ]
    User.objects.bulk_create(new, ignore_conflicts=True)
    users = {user.email: user for user in User.objects.filter(email__in=list(names))}
    return [users[email] for email in names]


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


def log_out_everywhere(*, user: User) -> None:
    user.end_sessions()


def deactivate(*, user: User) -> None:
    """Log the user out everywhere and refuse new log-ins and API tokens."""
    user.is_active = False
    user.save(update_fields=["is_active"])


def mail_password_reset(*, email: str, origin: str, language: str) -> bool:
    """Mail a reset link if an active user has this address; the page never tells whether."""
    user = User.objects.with_email(email).filter(is_active=True).first()
    if user is None or not user.has_usable_password():
        return False
    secret = [urlsafe_base64_encode(force_bytes(user.pk)), default_token_generator.make_token(user)]
    url = origin + reverse("accounts:password_reset_confirm", args=secret)
    with translation.override(language):
        links = [(_("Set a new password"), url)]
        mail = mails.Mail("password_reset", _("Set a new password"), links=links)
        mails.send(mail, to=user.email, recipient=user.display_name)
    return True


def create_token(*, user: User, name: str, now: datetime) -> tuple[ApiToken, str]:
    """A new API token and its secret, which is not stored."""
    if live_tokens(user).count() >= rate_limits.LIVE_TOKENS:
        raise TooManyTokens(limit=rate_limits.LIVE_TOKENS)
    secret = ApiToken.make_secret()
    digest = ApiToken.digest_of(secret)
    return ApiToken.objects.create(user=user, name=name, digest=digest, created_at=now), secret


def issue_temporary_token(*, user: User, name: str, until: datetime, now: datetime) -> str:
    """Issue an expiring token and return its secret; expired tokens of this name are deleted."""
    user.api_tokens.filter(name=name, expires_at__lte=now).delete()
    secret = ApiToken.make_secret()
    fields = {"digest": ApiToken.digest_of(secret), "created_at": now, "expires_at": until}
    user.api_tokens.create(name=name, **fields)
    return secret


def authenticate_token(*, secret: str, now: datetime) -> ApiToken:
    """The valid token with this secret; records its use at most once a minute."""
    digest = ApiToken.digest_of(secret)
    token = ApiToken.objects.select_related("user").filter(digest=digest).first()
    if token is None or not token.is_live(now) or not token.user.is_active:
        raise BadToken()
    if token.last_used_at is None or token.last_used_at <= now - LAST_USED_PRECISION:
        outdated = Q(last_used_at=None) | Q(last_used_at__lte=now - LAST_USED_PRECISION)
        ApiToken.objects.filter(outdated, pk=token.pk).update(last_used_at=now)
        token.last_used_at = now
    return token


def revoke_token(*, token: ApiToken, now: datetime) -> None:
    """Revoke the token; revoking it again keeps the first time."""
    ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now)


def delete_expired_sessions(*, now: datetime, batch: int = 1000) -> int:
    """Delete expired sessions in batches, so that no statement takes long."""
    deleted = 0
    expired = Session.objects.filter(expire_date__lte=now).order_by("expire_date")
    while keys := list(expired.values_list("pk", flat=True)[:batch]):
        deleted += Session.objects.filter(pk__in=keys, expire_date__lte=now).delete()[0]
        if len(keys) < batch:
            break
    return deleted
