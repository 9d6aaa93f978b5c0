"""Two-factor log-in for staff: a code from their phone, or one of their recovery codes."""

import logging
import secrets
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import transaction
from django_otp import DEVICE_ID_SESSION_KEY, match_token
from django_otp.models import Device
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from ticketing.accounts.models import User
from ticketing.console.errors import WrongCode

log = logging.getLogger(__name__)
REQUIRED = "required"
RECOVERY_CODES = 10
PHONE, RECOVERY = "phone", "recovery codes"


def needs_second_factor(user: User, session: Mapping[str, Any]) -> bool:
    """Whether this member of staff still has to enter a code in this session."""
    if not user.is_staff or _is_verified(user, session):
        return False
    return settings.STAFF_TWO_FACTOR == REQUIRED or has_phone(user)


def has_phone(user: User) -> bool:
    return TOTPDevice.objects.filter(user=user, confirmed=True).exists()


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
    log.info("%s set up a second factor", user)
    return phone, _new_recovery_codes(user)


def check_code(*, user: User, code: str) -> Device:
    """Accept a code of the phone or a recovery code, once. Wrong codes are rate limited."""
    device: Device | None = match_token(user, _normalised(code))
    if device is None:
        raise WrongCode()
    return device


def _new_recovery_codes(user: User) -> list[str]:
    StaticDevice.objects.filter(user=user).delete()
    recovery = StaticDevice.objects.create(user=user, name=RECOVERY)
    codes = [secrets.token_hex(5) for _ in range(RECOVERY_CODES)]
    StaticToken.objects.bulk_create(StaticToken(device=recovery, token=code) for code in codes)
    return codes


def _is_verified(user: User, session: Mapping[str, Any]) -> bool:
    device_id = session.get(DEVICE_ID_SESSION_KEY)
    device = Device.from_persistent_id(device_id) if device_id else None
    return device is not None and device.user_id == user.pk and bool(device.confirmed)


def _normalised(code: str) -> str:
    return code.strip().replace(" ", "").replace("-", "").lower()
