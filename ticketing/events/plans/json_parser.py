"""A JSON parser whose objects know the line on which they begin."""

import json
from bisect import bisect_left
from collections.abc import Callable
from json import decoder, scanner
from typing import Any

from django.utils.translation import gettext as _

from ticketing.events.plans.errors import Problems


class JsonObject(dict[str, Any]):
    def __init__(self, *args: Any, line: int) -> None:
        super().__init__(*args)
        self.line = line


class _Decoder(json.JSONDecoder):
    """The standard library's Python parser; objects also get their line number."""

    def __init__(self, line_at: Callable[[int], int]) -> None:
        super().__init__()
        self.line_at = line_at
        self.parse_object = self._object
        self.scan_once = scanner.py_make_scanner(self)  # type: ignore[attr-defined]

    def _object(self, at: tuple[str, int], *args: Any) -> tuple[JsonObject, int]:
        values, end = decoder.JSONObject(at, *args)  # type: ignore[attr-defined]
        return JsonObject(values, line=self.line_at(at[1])), end


def parse(text: str, problems: Problems) -> Any:
    breaks = [at for at, letter in enumerate(text) if letter == "\n"]
    try:
        return _Decoder(lambda at: bisect_left(breaks, at) + 1).decode(text)
    except json.JSONDecodeError as error:
        values = {"error": error.msg, "column": error.colno}
        problems.add(error.lineno, "", _("not JSON at column %(column)s: %(error)s") % values)
    except RecursionError:
        problems.add(1, "", _("is nested too deeply"))
    except ValueError:
        problems.add(1, "", _("has a number that is too long"))
    return None
