"""What people do with their accounts."""

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

from ticketing.accounts import limits
from ticketing.accounts.errors import BadToken, EmailTaken, TooManyTokens
from ticketing.accounts.models import ApiToken, Session, User
from ticketing.accounts.selectors import live_tokens
from ticketing.accounts.sessions import SessionStore
from ticketing.core import mails

USE_NOTED_EVERY = timedelta(minutes=1)


def sign_up(
    *, email: str, password: str, display_name: str, phone: str = "", now: datetime
) -> User:
    """Make an account; of two at once for one address, one gets it."""
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


def make_crowd(*, names: Mapping[str, str], now: datetime) -> list[User]:
    """An account for each address, by address in order; nobody can log in to them by password."""
    nobody_s = make_password(None)
    new = [
        User(email=email, display_name=name, password=nobody_s, date_joined=now)
        for email, name in names.items()
    ]
    User.objects.bulk_create(new, ignore_conflicts=True)
    found = {user.email: user for user in User.objects.filter(email__in=list(names))}
    return [found[email] for email in names]


def log_in_crowd(*, sessions: Mapping[str, User], now: datetime) -> None:
    """Open a session under each of these keys; a repeat changes nothing."""
    expires = now + timedelta(seconds=settings.SESSION_COOKIE_AGE)
    SessionStore.open_all(sessions, expires=expires)


def log_out_crowd(*, user_ids: Collection[int]) -> list[str]:
    """End every session of all of them; answers which they were."""
    mine = Session.objects.filter(user_id__in=user_ids)
    keys = list(mine.values_list("session_key", flat=True))
    SessionStore.end(keys)
    return keys


def log_out_everywhere(*, user: User) -> None:
    user.end_sessions()


def switch_off(*, user: User) -> None:
    """End every log-in and let nobody in again; tokens stop working with it."""
    user.is_active = False
    user.save(update_fields=["is_active"])


def mail_password_reset(*, email: str, origin: str, language: str) -> bool:
    """Send the link, if somebody who may log in has this address. Only the mail tells."""
    user = User.objects.with_email(email).filter(is_active=True).first()
    if user is None or not user.has_usable_password():
        return False
    secret = [urlsafe_base64_encode(force_bytes(user.pk)), default_token_generator.make_token(user)]
    address = origin + reverse("accounts:password_reset_confirm", args=secret)
    with translation.override(language):
        links = [(_("Set a new password"), address)]
        mail = mails.Mail("password_reset", _("Set a new password"), links=links)
        mails.send(mail, to=user.email, recipient=user.display_name)
    return True


def create_token(*, user: User, name: str, now: datetime) -> tuple[ApiToken, str]:
    """A new API token and its secret, which can't be had again."""
    if live_tokens(user).count() >= limits.LIVE_TOKENS:
        raise TooManyTokens(limit=limits.LIVE_TOKENS)
    secret = ApiToken.make_secret()
    digest = ApiToken.digest_of(secret)
    return ApiToken.objects.create(user=user, name=name, digest=digest, created_at=now), secret


def lend_token(*, user: User, name: str, until: datetime, now: datetime) -> str:
    """The secret of a token for a program of ours; those lent before that are over go."""
    user.api_tokens.filter(name=name, expires_at__lte=now).delete()
    secret = ApiToken.make_secret()
    lent = {"digest": ApiToken.digest_of(secret), "created_at": now, "expires_at": until}
    user.api_tokens.create(name=name, **lent)
    return secret


def use_token(*, secret: str, now: datetime) -> ApiToken:
    """The live token with this secret. Its use is noted at most once a minute."""
    digest = ApiToken.digest_of(secret)
    token = ApiToken.objects.select_related("user").filter(digest=digest).first()
    if token is None or not token.is_live(now) or not token.user.is_active:
        raise BadToken()
    if token.last_used_at is None or token.last_used_at <= now - USE_NOTED_EVERY:
        _note_use(token, now)
    return token


def _note_use(token: ApiToken, now: datetime) -> None:
    unnoted = Q(last_used_at=None) | Q(last_used_at__lte=now - USE_NOTED_EVERY)
    ApiToken.objects.filter(unnoted, pk=token.pk).update(last_used_at=now)
    token.last_used_at = now


def revoke_token(*, token: ApiToken, now: datetime) -> None:
    """From now on this token opens nothing. Revoking twice keeps the first time."""
    ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now)


def forget_old_sessions(*, now: datetime, batch: int = 1000) -> int:
    """Delete expired sessions, a batch at a time so that no statement is long."""
    forgotten = 0
    while keys := _expired_keys(now, batch):
        forgotten += Session.objects.filter(pk__in=keys, expire_date__lte=now).delete()[0]
        if len(keys) < batch:
            break
    return forgotten


def _expired_keys(now: datetime, batch: int) -> list[str]:
    expired = Session.objects.filter(expire_date__lte=now).order_by("expire_date")
    return list(expired.values_list("pk", flat=True)[:batch])
