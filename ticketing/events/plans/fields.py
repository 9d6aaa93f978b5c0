"""Reads single fields of a plan file and reports invalid ones."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from ticketing.events.plans.errors import Problems

_WHOLE = re.compile(r"[+-]?[0-9]{1,12}")
_DECIMAL = re.compile(r"[+-]?[0-9]{1,12}(\.[0-9]{0,12})?")
_FLAGS = dict.fromkeys(("1", "true", "yes", "y", "예"), True) | dict.fromkeys(
    ("", "0", "false", "no", "n", "아니오"), False
)


@dataclass
class Fields:
    """One line of CSV or one JSON object. After an invalid field, `is_valid` is False."""

    line: int
    values: Mapping[str, object]
    problems: Problems
    path: str = ""
    aliases: Mapping[str, str] = field(default_factory=dict)
    is_valid: bool = True

    def text(self, name: str, *, limit: int, required: bool = True) -> str:
        value = self._value(name)
        if isinstance(value, bool) or not isinstance(value, str | int):
            self.add_problem(name, _("must be a text"))
            return ""
        text = str(value)[: 10 * limit].strip()
        if not text and required:
            self.add_problem(name, _("is missing"))
        elif len(text) > limit:
            self.add_problem(name, _("is longer than %(limit)s characters") % {"limit": limit})
        elif any(unicodedata.category(letter) in ("Cc", "Cs") for letter in text):
            self.add_problem(name, _("has characters that can't be printed"))
        return text

    def whole(self, name: str, *, low: int, high: int) -> int:
        """A required whole number."""
        text = self._digits(name)
        if not text:
            self.add_problem(name, _("is missing"))
        elif not _WHOLE.fullmatch(text):
            self.add_problem(name, _("“%(value)s” is not a whole number") % {"value": text[:20]})
        else:
            return self._between(name, int(text), low, high)
        return low

    def position(self, name: str, *, low: int = -100_000, high: int = 100_000) -> int | None:
        """A coordinate, rounded to whole units; None if the field is empty."""
        text = self._digits(name)
        if not text:
            return None
        if not _DECIMAL.fullmatch(text):
            self.add_problem(name, _("“%(value)s” is not a number") % {"value": text[:20]})
            return None
        return self._between(name, round(float(text)), low, high)

    def flag(self, name: str) -> bool:
        answer = _FLAGS.get(str(self._value(name)).strip().lower())
        if answer is None:
            self.add_problem(name, _("must be yes or no"))
        return bool(answer)

    def has(self, name: str) -> bool:
        return bool(str(self._value(name)).strip())

    def add_problem(self, name: str, message: str) -> None:
        self.is_valid = False
        self.problems.add(self.line, self.path + self.aliases.get(name, name), message)

    def _value(self, name: str) -> object:
        value = self.values.get(self.aliases.get(name, name))
        return "" if value is None else value

    def _digits(self, name: str) -> str:
        value = self._value(name)
        if isinstance(value, float) and value.is_integer():
            value = int(value) if abs(value) < 1e12 else value
        return str(value).strip() if isinstance(value, str | int | float) else "…"

    def _between(self, name: str, number: int, low: int, high: int) -> int:
        if low <= number <= high:
            return number
        message = _("%(number)s is not between %(low)s and %(high)s")
        self.add_problem(name, message % {"number": number, "low": low, "high": high})
        return low
