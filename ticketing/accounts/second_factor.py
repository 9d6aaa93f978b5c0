"""Whether a session of staff has its second factor."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db.models import Exists
from django_otp import DEVICE_ID_SESSION_KEY
from django_otp.models import Device
from django_otp.plugins.otp_totp.models import TOTPDevice

from ticketing.accounts.models import Passkey, User

REQUIRED = "required"


def needs_second_factor(user: User, session: Mapping[str, Any]) -> bool:
    """Whether this member of staff still has to enter a code in this session."""
    return user.is_staff and not is_verified(user, session) and has_duty(user)


def lacks_own_factor(user: User, session: Mapping[str, Any]) -> bool:
    """Whether this member of staff has a second factor that this session has not shown."""
    return has_factor(user) and needs_second_factor(user, session)


def has_duty(user: User) -> bool:
    """Whether this member of staff acts only with a second factor."""
    return settings.STAFF_TWO_FACTOR == REQUIRED or has_factor(user)


def has_factor(user: User) -> bool:
    """In one statement: every page of the admin asks."""
    either = Exists(_phones(user)) | Exists(Passkey.objects.filter(user=user))
    return User.objects.filter(either, pk=user.pk).exists()


def has_passkey(user: User) -> bool:
    return Passkey.objects.filter(user=user).exists()


def has_phone(user: User) -> bool:
    return _phones(user).exists()


def _phones(user: User) -> Any:
    return TOTPDevice.objects.filter(user=user, confirmed=True)


def is_verified(user: User, session: Mapping[str, Any]) -> bool:
    device_id = session.get(DEVICE_ID_SESSION_KEY)
    device = Device.from_persistent_id(device_id) if device_id else None
    return device is not None and device.user_id == user.pk and bool(device.confirmed)
