"""Knobs typed on the command line: `admit_per_second=25 opens_at=2026-12-24T20:00`."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.timezone import is_naive, make_aware
from django.utils.translation import gettext as _

from ticketing.core.errors import InvalidInput
from waiting_queue.models import KNOBS, SaleQueue

EMPTY = {"", "off", "none"}


def parse_knobs(pairs: Iterable[str]) -> dict[str, Any]:
    """Return the knobs by name, or raise one error that names every unreadable pair."""
    knobs: dict[str, Any] = {}
    invalid: dict[str, list[str]] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        try:
            knobs[name] = _parse_value(name, equals, text.strip())
        except ValidationError as error:
            invalid[name] = error.messages
    if invalid:
        raise InvalidInput(fields=invalid)
    return knobs


def _parse_value(name: str, equals: str, text: str) -> Any:
    if name not in KNOBS:
        known = ", ".join(KNOBS)
        raise ValidationError(_("There is no such knob. There are: %(known)s.") % {"known": known})
    if not equals:
        raise ValidationError(_("Write it as name=value."))
    field: Any = SaleQueue._meta.get_field(name)
    if field.null and text.lower() in EMPTY:
        return None
    value = field.clean(text, None)
    if isinstance(value, datetime) and is_naive(value):
        return make_aware(value)  # in the operators' time zone
    return value
