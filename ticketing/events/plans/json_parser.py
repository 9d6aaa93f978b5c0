"""A JSON parser whose objects know the line on which they begin."""

import json
import re
from array import array
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _

from ticketing.events.plans.draft import MAX_SEATS
from ticketing.events.plans.errors import Problems

# More than a plan can have of them: such a file is not parsed, which would take long and much room.
MOST_OBJECTS, MOST_LISTS = MAX_SEATS + 2_000, 2_000
MOST_VALUES, MOST_LINES = 10 * MOST_OBJECTS, 20 * MOST_OBJECTS
# A text, or the beginning or the end of an object.
TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[{}\n]', re.DOTALL)


class Source:
    """The text of a file. Lines are looked up only if there are problems to name."""

    def __init__(self, text: str) -> None:
        self.text, self.objects = text, 0

    @cached_property
    def lines(self) -> "array[int]":
        """Where each object begins, in the order in which they end, as the parser sees them."""
        line, begun, found = 1, [], array("L")
        for token in TOKEN.finditer(self.text):
            match self.text[token.start()]:
                case "{":
                    begun.append(line)
                case "}":
                    found.append(begun.pop())
                case "\n":
                    line += 1
        return found


class JsonObject(dict[str, Any]):
    __slots__ = ("_number", "_source")

    def __init__(self, values: dict[str, Any] | None = None, *, source: Source | None) -> None:
        super().__init__(values or {})
        self._source = source
        if source:
            self._number, source.objects = source.objects, source.objects + 1

    @property
    def line(self) -> int:
        return self._source.lines[self._number] if self._source else 1


def parse(text: str, problems: Problems) -> Any:
    if message := _refusal(text):
        problems.add(0, "", message)
        return None
    source = Source(text)
    try:
        return json.loads(text, object_hook=lambda values: JsonObject(values, source=source))
    except json.JSONDecodeError as error:
        values = {"error": error.msg, "column": error.colno}
        problems.add(error.lineno, "", _("not JSON at column %(column)s: %(error)s") % values)
    except RecursionError:
        problems.add(1, "", _("is nested too deeply"))
    except ValueError:
        problems.add(1, "", _("has a number that is too long"))
    return None


def _refusal(text: str) -> str:
    if text.count("{") > MOST_OBJECTS:
        return _("more than %(limit)s seats") % {"limit": MAX_SEATS}
    bounds = {"[": MOST_LISTS, ",": MOST_VALUES, "\n": MOST_LINES}
    if any(text.count(sign) > most for sign, most in bounds.items()):
        return _("The file has more lists, values or lines than any seat plan.")
    return ""
