"""Knobs as somebody types them: `admit_per_second=25 opens_at=2026-12-24T20:00`."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.timezone import is_naive, make_aware
from django.utils.translation import gettext as _

from ticketing.core.errors import InvalidInput
from waiting_queue.models import SaleQueue
from waiting_queue.services.operating import KNOBS

ON, OFF = {"on", "yes", "true", "1"}, {"off", "no", "false", "0"}
NOTHING = {"", "off", "none"}


def knobs_from_words(pairs: Iterable[str]) -> dict[str, Any]:
    """All of them, or one error that names every one which can't be read."""
    knobs: dict[str, Any] = {}
    wrong: dict[str, list[str]] = {}
    for pair in pairs:
        name, equals, words = pair.partition("=")
        try:
            knobs[name] = _value(name, equals, words.strip())
        except ValidationError as refusal:
            wrong[name] = refusal.messages
    if wrong:
        raise InvalidInput(fields=wrong)
    return knobs


def _value(name: str, equals: str, words: str) -> Any:
    if name not in KNOBS:
        known = ", ".join(KNOBS)
        raise ValidationError(_("There is no such knob. There are: %(known)s.") % {"known": known})
    if not equals:
        raise ValidationError(_("Write it as name=value."))
    field: Any = SaleQueue._meta.get_field(name)
    if field.null and words.lower() in NOTHING:
        return None
    if isinstance(field, models.BooleanField):
        return _flag(words.lower())
    return _seoul(field.clean(words, None))


def _flag(word: str) -> bool:
    if word not in ON | OFF:
        raise ValidationError(_("Write on or off."))
    return word in ON


def _seoul(value: Any) -> Any:
    """A time without a zone is meant as the operators' clocks show it."""
    return make_aware(value) if isinstance(value, datetime) and is_naive(value) else value
