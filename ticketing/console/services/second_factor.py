"""A second proof for staff: a code from their phone, or one of the recovery codes on paper."""

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
CODES = 10
PHONE, PAPER = "phone", "recovery codes"


def lacks_second_factor(user: User, session: Mapping[str, Any]) -> bool:
    """Whether somebody of the staff still has to show a code in this session."""
    if not user.is_staff or _is_shown(user, session):
        return False
    return settings.STAFF_TWO_FACTOR == REQUIRED or is_set_up(user)


def is_set_up(user: User) -> bool:
    return TOTPDevice.objects.filter(user=user, confirmed=True).exists()


def new_phone(user: User) -> TOTPDevice:
    """The one being set up; it counts once a code from it was seen."""
    begun = TOTPDevice.objects.filter(user=user, confirmed=False).order_by("pk").first()
    return begun or TOTPDevice.objects.create(user=user, confirmed=False, name=PHONE)


@transaction.atomic
def finish_set_up(*, user: User, code: str) -> tuple[Device, list[str]]:
    """From now on this phone counts, and no other. Answers it, and new recovery codes."""
    phone = new_phone(user)
    if not phone.verify_token(_plain(code)):
        raise WrongCode()
    TOTPDevice.objects.filter(user=user).exclude(pk=phone.pk).delete()
    phone.confirmed = True
    phone.save(update_fields=["confirmed"])
    log.info("%s set up a second factor", user)
    return phone, _new_codes(user)


def check_code(*, user: User, code: str) -> Device:
    """From the phone, or a recovery code, which is then used up. Each wrong one costs time."""
    device: Device | None = match_token(user, _plain(code))
    if device is None:
        raise WrongCode()
    return device


def _new_codes(user: User) -> list[str]:
    StaticDevice.objects.filter(user=user).delete()
    paper = StaticDevice.objects.create(user=user, name=PAPER)
    codes = [secrets.token_hex(5) for _ in range(CODES)]
    StaticToken.objects.bulk_create(StaticToken(device=paper, token=code) for code in codes)
    return codes


def _is_shown(user: User, session: Mapping[str, Any]) -> bool:
    shown = session.get(DEVICE_ID_SESSION_KEY)
    device = Device.from_persistent_id(shown) if shown else None
    return device is not None and device.user_id == user.pk and bool(device.confirmed)


def _plain(code: str) -> str:
    return code.strip().replace(" ", "").replace("-", "").lower()
