"""Refuses passwords that are known from leaks, where a service is asked about them."""

import hashlib
import logging
from typing import Any

import httpx
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

log = logging.getLogger(__name__)
PREFIX_LENGTH = 5
TIMEOUT = 1.0


class LeakedPasswordValidator:
    """Asks a service of “Have I Been Pwned” kind, which gets five digits of a hash (k-anonymity).

    Without an answer in time the password is accepted: the shipped list was asked before.
    """

    def validate(self, password: str, user: Any = None) -> None:
        if settings.LEAKED_PASSWORDS_URL and _is_leaked(password):
            message = _("This password is known from a data leak. Please choose another one.")
            raise ValidationError(message, code="password_leaked")

    def get_help_text(self) -> str:
        return _("Your password must not be known from a data leak.")


def _is_leaked(password: str) -> bool:
    digest = hashlib.sha1(password.encode(), usedforsecurity=False).hexdigest().upper()
    prefix, rest = digest[:PREFIX_LENGTH], digest[PREFIX_LENGTH:]
    url = f"{settings.LEAKED_PASSWORDS_URL.rstrip('/')}/{prefix}"
    try:
        answer = httpx.get(url, timeout=TIMEOUT, headers={"Add-Padding": "true"})
        answer.raise_for_status()
    except httpx.HTTPError as problem:
        log.warning("leaked passwords are not checked: %s", problem)
        return False
    found = dict(line.strip().split(":", 1) for line in answer.text.splitlines() if ":" in line)
    return int(found.get(rest, "0")) > 0  # padding has 0
