"""Types of the arguments of commands, with messages that say what was expected."""

from argparse import ArgumentTypeError
from collections.abc import Callable


def number(least: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise ArgumentTypeError(f"“{text}” is not a whole number of at least {least}")
        return int(text)

    return parse


def minutes(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.1 <= value <= 240:
        raise ArgumentTypeError(f"“{text}” is not a number of minutes from 0.1 to 240")
    return value


def knob(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        read = float(value)
    except ValueError:
        raise ArgumentTypeError(f"“{text}” is not like admit_per_second=80") from None
    return name, int(read) if read.is_integer() else read
