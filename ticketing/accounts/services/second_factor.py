"""Two-factor log-in for staff: a code from their phone, or one of their recovery codes."""

import secrets
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import transaction
from django_otp import match_token
from django_otp.models import Device
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from ticketing.accounts.errors import SecondFactorMissing, WrongCode
from ticketing.accounts.models import SecurityEvent, User
from ticketing.accounts.second_factor import REQUIRED, has_phone, is_verified

RECOVERY_CODES = 10
PHONE, RECOVERY = "phone", "recovery codes"


def pending_phone(user: User) -> TOTPDevice:
    """The phone being set up; it becomes valid with the first code entered from it."""
    pending = TOTPDevice.objects.filter(user=user, confirmed=False).order_by("pk").first()
    return pending or TOTPDevice.objects.create(user=user, confirmed=False, name=PHONE)


@transaction.atomic
def confirm_phone(*, user: User, code: str) -> tuple[Device, list[str]]:
    """Make the pending phone the user's only one; return it with new recovery codes."""
    phone = pending_phone(user)
    if not phone.verify_token(_normalised(code)):
        raise WrongCode()
    TOTPDevice.objects.filter(user=user).exclude(pk=phone.pk).delete()
    phone.confirmed = True
    phone.save(update_fields=["confirmed"])
    user.end_access()  # of whoever logged in with the password alone
    user.record(SecurityEvent.Kind.FACTOR_ADDED, detail=PHONE)
    StaticDevice.objects.filter(user=user).delete()
    recovery = StaticDevice.objects.create(user=user, name=RECOVERY)
    codes = [secrets.token_hex(5) for _ in range(RECOVERY_CODES)]
    StaticToken.objects.bulk_create(StaticToken(device=recovery, token=each) for each in codes)
    return phone, codes


@transaction.atomic
def remove_phone(*, phone: TOTPDevice) -> None:
    """Remove a lost phone with its recovery codes, and end all access that it allowed."""
    user = phone.user
    phone.delete()
    StaticDevice.objects.filter(user=user).delete()
    user.end_access()
    user.record(SecurityEvent.Kind.FACTOR_REMOVED, detail=PHONE)


def check_code(*, user: User, code: str) -> Device:
    """Accept a code of the phone or a recovery code, once. Wrong codes are rate limited."""
    device: Device | None = match_token(user, _normalised(code))
    if device is None:
        raise WrongCode()
    return device


def check_second_factor(*, user: User, code: str, session: Mapping[str, Any] | None = None) -> bool:
    """Whether there is a second factor, after checking its code; refuses staff who lack theirs.

    Who has passkeys only has used one in this session.
    """
    if session is not None and not has_phone(user) and is_verified(user, session):
        return True
    if has_phone(user):
        if not code:
            raise SecondFactorMissing()
        check_code(user=user, code=code)
        return True
    if user.is_staff and settings.STAFF_TWO_FACTOR == REQUIRED:
        raise SecondFactorMissing()
    return False


def _normalised(code: str) -> str:
    return code.strip().replace(" ", "").replace("-", "").lower()
