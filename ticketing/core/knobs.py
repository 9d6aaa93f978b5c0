"""Deployment settings from the environment: each has a name, a default and one sentence."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import ImproperlyConfigured

_FLAGS = dict.fromkeys(("1", "true", "yes", "on"), True) | dict.fromkeys(
    ("0", "false", "no", "off"), False
)


@dataclass(frozen=True)
class Knob:
    name: str
    default: Any
    sentence: str


@dataclass
class Environment:
    """Reads settings and records them, so that a test can compare docs/knobs.md with them."""

    knobs: dict[str, Knob] = field(default_factory=dict)

    def text(self, name: str, default: str, sentence: str) -> str:
        return self._read(name, default, sentence, str)

    def number(self, name: str, default: int, sentence: str) -> int:
        return self._read(name, default, sentence, int)

    def flag(self, name: str, default: bool, sentence: str) -> bool:
        return self._read(name, default, sentence, lambda raw: _FLAGS[raw.strip().lower()])

    def choice(self, name: str, default: str, choices: tuple[str, ...], sentence: str) -> str:
        return self._read(name, default, sentence, lambda raw: choices[choices.index(raw)])

    def words(self, name: str, default: list[str], sentence: str) -> list[str]:
        return self._read(name, default, sentence, _comma_separated)

    def _read(self, name: str, default: Any, sentence: str, parse: Callable[[str], Any]) -> Any:
        self.knobs[name] = Knob(name, default, sentence)
        raw = os.environ.get(name, "")
        if not raw:
            return default
        try:
            return parse(raw)
        except (ValueError, KeyError):
            raise ImproperlyConfigured(f"{name}={raw!r} can't be read. {sentence}") from None


def _comma_separated(raw: str) -> list[str]:
    return [word.strip() for word in raw.split(",") if word.strip()]
