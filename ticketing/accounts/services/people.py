"""Accounts: sign-up, profile, deactivation."""

from collections.abc import Collection, Mapping
from datetime import datetime

from django.contrib.auth.hashers import make_password
from django.db import IntegrityError, transaction

from ticketing.accounts.errors import EmailTaken
from ticketing.accounts.models import SecurityEvent, User
from ticketing.accounts.services.consents import give_consents


def sign_up(
    *, email: str, password: str, display_name: str, agreed: Collection[int] = (), now: datetime
) -> User:
    """Create the account of whoever opened the link that was mailed to this address.

    `agreed`: ids of the documents they agree to; everything required must be among them.
    Of two concurrent sign-ups with one address, one succeeds.
    """
    fields = {"display_name": display_name, "date_joined": now, "email_confirmed_at": now}
    try:
        with transaction.atomic():
            user = User.objects.create_user(email, password, **fields)
            user.record(SecurityEvent.Kind.SIGNED_UP)
            give_consents(user_id=user.pk, agreed=agreed, now=now)
            return user
    except IntegrityError as error:
        raise EmailTaken() from error


def change_profile(*, user: User, display_name: str, phone: str) -> User:
    user.display_name, user.phone = display_name, phone
    user.save(update_fields=["display_name", "phone"])
    return user


def create_users(
    *,
    names: Mapping[int, tuple[str, str]],
    since: Mapping[int, datetime] | None = None,
    now: datetime,
) -> list[User]:
    """Create a confirmed account with this id, e-mail address and name each, without a password.

    `since` says how old each account is, if it is not new. Returns them in order; those that exist
    already stay as they are.
    """
    unusable = make_password(None)
    new = [
        User(
            pk=pk,
            email=email,
            email_confirmed_at=now,
            display_name=name,
            password=unusable,
            date_joined=since[pk] if since else now,
        )
        for pk, (email, name) in names.items()
    ]
    User.objects.bulk_create(new, ignore_conflicts=True)
    users = User.objects.in_bulk(list(names))
    return [users[pk] for pk in names]


def deactivate(*, user: User) -> None:
    """Log the user out everywhere and refuse new log-ins and API tokens."""
    user.is_active = False
    user.save(update_fields=["is_active"])
