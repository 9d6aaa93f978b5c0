"""Reads typed values from the body of an API call."""

from typing import Any

from payments.sandbox.errors import InvalidRequest

Body = dict[str, Any]
LARGEST = 10**12


def whole_number(body: Body, name: str) -> int | None:
    value: int | None = _typed(body, name, int)
    if value is not None and not 0 <= value <= LARGEST:
        raise InvalidRequest(f"{name} is out of range.")
    return value


def text(body: Body, name: str, longest: int = 500) -> str | None:
    value: str | None = _typed(body, name, str)
    if value is not None and (len(value) > longest or "\0" in value):
        raise InvalidRequest(f"{name} is too long, or not text.")
    return value


def part(body: Body, name: str) -> Body:
    return _typed(body, name, dict) or {}


def flag(body: Body, name: str) -> bool | None:
    return _typed(body, name, bool)


def _typed(body: Body, name: str, kind: type) -> Any:
    value = body.get(name)
    if value is None or type(value) is kind:
        return value
    raise InvalidRequest(f"{name} is not of the right kind.")
