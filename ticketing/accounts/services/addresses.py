"""E-mail addresses: proved by a link in a mail before they count.

The pages answer alike for known and unknown addresses; what differs is only in the mail.
"""

from datetime import datetime, timedelta
from typing import Any

from django.core import signing
from django.db import IntegrityError, transaction
from django.utils import translation
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _

from ticketing.accounts import locks
from ticketing.accounts.errors import BadLink, EmailTaken
from ticketing.accounts.models import SecurityEvent, User
from ticketing.accounts.sessions import refresh_callers
from ticketing.core import mails

Kind = SecurityEvent.Kind
LINK_LASTS = timedelta(days=1)
SIGN_UP, CONFIRM = "accounts.sign_up", "accounts.confirm"


def mail_sign_up(*, email: str, next_page: str, language: str) -> None:
    """Mail a link to finish signing up; to somebody who has an account, that they have one."""
    with translation.override(language):
        if user := User.objects.with_email(email).first():
            _mail_registered(user)
            return
        secret = signing.dumps({"email": email, "next": next_page}, salt=SIGN_UP)
        links = [(_("Finish signing up"), mails.link("accounts:sign_up_finish", secret))]
        mail = mails.Mail("sign_up", _("Finish signing up"), links=links)
        mails.send(mail, to=email, recipient=email)


def read_sign_up(secret: str) -> dict[str, str]:
    """What the link says: `email` and the `next` page."""
    return _read(secret, salt=SIGN_UP)


@transaction.atomic
def ask_for_address(*, user: User, email: str, origin: str) -> None:
    """Store the new address; the old one stays valid, and gets a mail, until it is confirmed."""
    current = locks.user_for_update(user.pk)
    current.new_email, current.changed_from = User.objects.normalize_email(email), origin
    current.save(update_fields=["new_email"])
    current.record(Kind.EMAIL_CHANGE_ASKED, detail=current.new_email)


def mail_confirmation(*, user_id: int, language: str) -> None:
    """Mail the link that confirms the new address, or the present one."""
    user = User.objects.filter(pk=user_id, is_active=True).first()
    if user is None:
        return
    email = user.new_email or user.email
    with translation.override(language):
        if other := User.objects.with_email(email).exclude(pk=user.pk).first():
            _mail_registered(other)
            return
        named = {"user": user.pk, "email": email, "key": _key(user)}
        url = mails.link("accounts:confirm", signing.dumps(named, salt=CONFIRM))
        title = _("Confirm your e-mail address")
        mail = mails.Mail("confirm_address", title, links=[(title, url)])
        mails.send(mail, to=email, recipient=user.display_name)


@transaction.atomic
def confirm_address(*, user_id: int, secret: str, origin: str, now: datetime) -> User:
    """Confirm an address with the link mailed to it; only its account's owner can use the link."""
    named = _read(secret, salt=CONFIRM)
    user = locks.user_for_update(user_id)
    email = str(named["email"])
    is_theirs = named["user"] == user.pk and constant_time_compare(named["key"], _key(user))
    if not is_theirs or email != (user.new_email or user.email):
        raise BadLink()
    is_new, user.changed_from = email != user.email, origin
    user.email, user.new_email, user.email_confirmed_at = email, "", now
    try:
        with transaction.atomic():
            user.save(update_fields=["email", "new_email", "email_confirmed_at"])
    except IntegrityError as error:
        raise EmailTaken() from error
    if not is_new:
        user.record(Kind.EMAIL_CONFIRMED)
    refresh_callers(user)
    return user


def confirm_by_reset(*, user: User, now: datetime) -> None:
    """Who set a password with a mailed link has proved the address, too."""
    if not user.is_confirmed:
        user.email_confirmed_at = now
        user.save(update_fields=["email_confirmed_at"])
        user.record(Kind.EMAIL_CONFIRMED)
        refresh_callers(user)


def _mail_registered(user: User) -> None:
    """Mail the owner of an account whose address somebody entered again; no page says so."""
    links = [
        (_("Log in"), mails.link("accounts:log_in")),
        (_("Set a new password"), mails.link("accounts:password_reset")),
    ]
    mail = mails.Mail("already_registered", _("You already have an account"), links=links)
    mails.send(mail, to=user.email, recipient=user.display_name)


def _key(user: User) -> str:
    """Changes with password and address, so that older links end."""
    return salted_hmac(CONFIRM, f"{user.password} {user.email}").hexdigest()[:20]


def _read(secret: str, *, salt: str) -> dict[str, Any]:
    try:
        found: dict[str, Any] = signing.loads(secret, salt=salt, max_age=LINK_LASTS)
    except signing.BadSignature:
        raise BadLink() from None
    return found
