"""JSON from outside: what can't be stored or compared is refused as early as what can't be read.

Python's reader takes lone surrogates and NUL, which no database stores, numbers of 4,000 digits,
and lists in lists until the stack ends. A text is looked through only if it could have them.
"""

import json
import math
import re
from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

DEEPEST = 32
LARGEST_NUMBER = 2**63 - 1
LONG_NUMBER = re.compile(r"[0-9]{16}|[0-9][eE]")
UNUSABLE = re.compile(r"[\0\ud800-\udfff]")


def read_json(raw: bytes) -> Any:
    """Raises `ValueError` for what is not JSON, or not usable."""
    text = raw.decode()
    try:
        data = (_careful if LONG_NUMBER.search(text) else _plain).decode(text)
    except RecursionError:
        raise ValueError("too deep") from None
    if "\\u" in text or text.count("[") + text.count("{") > DEEPEST:
        _require_usable(data)
    return data


class StrictJsonParser(JSONParser):
    """REST framework's parser with our reader."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        try:
            return read_json(stream.read())
        except ValueError as error:
            raise ParseError(f"JSON parse error - {error}") from None


def _require_usable(data: Any) -> None:
    """Level by level: a deep value must not end this stack, either."""
    level = [data]
    for _ in range(DEEPEST):
        if any(UNUSABLE.search(value) for value in level if isinstance(value, str)):
            raise ValueError("a character that can't be stored")
        level = [
            *(inner for value in level if isinstance(value, list) for inner in value),
            *(inner for value in level if isinstance(value, dict) for inner in value.values()),
            *(key for value in level if isinstance(value, dict) for key in value),
        ]
        if not level:
            return
    raise ValueError("too deep")


def _integer(text: str) -> int:
    number = int(text) if len(text) <= 20 else LARGEST_NUMBER + 1
    if abs(number) > LARGEST_NUMBER:
        raise ValueError("a number that is too large")
    return number


def _float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError("a number that is too large")
    return number


def _refuse(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


_plain = json.JSONDecoder(parse_constant=_refuse)
_careful = json.JSONDecoder(parse_int=_integer, parse_float=_float, parse_constant=_refuse)
