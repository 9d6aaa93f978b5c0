"""Verified identities: one account for each person, by construction.

A unique constraint on the digest lets one account be the person's own. So places in line and limits
that are counted per account are counted per person wherever an event asks for the identity.
"""

import hmac
from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction

from ticketing.accounts import locks
from ticketing.accounts.errors import IdentityDiffers, IdentityInUse, IdentityTaken, NotVerified
from ticketing.accounts.models import Identity, IdentityChange, SecurityEvent, User
from ticketing.accounts.services.people import deactivate
from ticketing.accounts.sessions import refresh_callers

What, Kind = IdentityChange.What, SecurityEvent.Kind
# Part of the message, so that no digest made for something else is one of these.
CONTEXT = b"identity 1:"
REHEARSAL_BIRTH_YEAR = 1990
# Longer than any request that saw the identity before it was released: what that one holds or buys
# is known when another account asks for the identity.
RELEASE_SETTLES = timedelta(minutes=1)


@transaction.atomic
def record_identity(
    *,
    user_id: int,
    unique_value: str,
    birth_year: int,
    now: datetime,
    has_seats: Callable[[int], bool],
    began_at: datetime | None = None,
) -> int | None:
    """Make this account the one of the person; a repeat changes nothing.

    One that began after the last one is no repeat: the person has verified again.
    Returns the account that had the identity until now, if staff had released it. `has_seats` says
    whether that account has seats which count for the person's limit.
    """
    user = locks.user_for_update(user_id)
    digest, *earlier = digests(unique_value)
    found = locks.identity_for_update([digest, *earlier])
    own = found if found and found.pk == user_id else Identity.objects.filter(pk=user_id).first()
    if own is not None and own != found:
        raise IdentityDiffers()
    if own and own.released_at is None and (own.digest, own.birth_year) == (digest, birth_year):
        if began_at and began_at > own.verified_at:
            Identity.objects.filter(pk=user_id).update(verified_at=now)
            IdentityChange.objects.create(user=user, what=What.VERIFIED, at=now)
        return None
    before = found.pk if found and found.pk != user_id else None
    if found and before:
        _require_released(found, now, has_seats)
        IdentityChange.objects.create(user_id=before, what=What.TAKEN, at=now)
    fields = {"digest": digest, "birth_year": birth_year, "verified_at": now, "released_at": None}
    if found:
        Identity.objects.filter(pk=found.pk).update(user=user, **fields)
    else:
        _create(user, **fields)
    _record(user, now, Kind.IDENTITY_VERIFIED)
    return before


def _create(user: User, **fields: Any) -> None:
    try:
        with transaction.atomic():
            Identity.objects.create(user=user, **fields)
    except IntegrityError as error:  # another account verified at the same moment
        raise IdentityTaken() from error


def verify_rehearsal_people(*, user_ids: Collection[int], now: datetime) -> None:
    """Give each of these accounts, which nobody owns, a person of its own."""
    Identity.objects.bulk_create(
        (
            Identity(
                user_id=user_id,
                digest=digests(f"rehearsal:{user_id}")[0],
                birth_year=REHEARSAL_BIRTH_YEAR,
                verified_at=now,
            )
            for user_id in user_ids
        ),
        ignore_conflicts=True,
    )


@transaction.atomic
def release_identity(
    *, user_id: int, closes_account: bool, by: User, why: str, now: datetime
) -> None:
    """Let the person verify another account; this one is not verified any more.

    Nobody is given an identity: the person verifies the account that they keep.
    """
    user = locks.user_for_update(user_id)
    if not Identity.objects.filter(pk=user_id, released_at=None).update(released_at=now):
        raise NotVerified()
    _record(user, now, Kind.IDENTITY_RELEASED, by=by, why=why)
    if closes_account:
        deactivate(user=user)


def digests(unique_value: str) -> list[str]:
    """Under the present key, then under earlier ones, so that a new key makes nobody a stranger."""
    keys = [settings.IDENTITY_KEY or settings.SECRET_KEY, *settings.IDENTITY_KEY_FALLBACKS]
    message = CONTEXT + unique_value.encode()
    return [hmac.new(key.encode(), message, "sha256").hexdigest() for key in keys]


def _require_released(found: Identity, now: datetime, has_seats: Callable[[int], bool]) -> None:
    if found.released_at is None or now < found.released_at + RELEASE_SETTLES:
        raise IdentityTaken()
    if has_seats(found.pk):
        raise IdentityInUse()


def _record(user: User, now: datetime, kind: str, by: User | None = None, why: str = "") -> None:
    """Audit row, security log with the owner's mail, and the mark in all their sessions."""
    what = What.RELEASED if kind == Kind.IDENTITY_RELEASED else What.VERIFIED
    IdentityChange.objects.create(user=user, what=what, at=now, by=by, why=why)
    user.record(kind)
    refresh_callers(user)
