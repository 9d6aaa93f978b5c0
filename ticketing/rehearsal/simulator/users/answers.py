"""What the site says, read no further than needed: most frames only repeat what is known."""

import json
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

PLACE = ("state", "number", "position", "ahead", "total", "server_time")
DATED = (*PLACE, "deadline")
STATE, NUMBER = '"state":"', '"number":'
CSRF = re.compile(rb'name="csrfmiddlewaretoken" value="([^"]+)"')
# The site says: wait, and ask again. A lost answer and a jam are the same to a person.
COME_BACK = frozenset({0, 429, 500, 502, 503, 504})
LONGEST_WAIT = 30.0


@dataclass(frozen=True, slots=True)
class Answer:
    """Of one call; status 0 if there was none."""

    status: int
    began: float
    ended: float
    body: bytes = b""
    headers: Any = field(default_factory=dict)

    @property
    def is_good(self) -> bool:
        return 200 <= self.status < 300

    @property
    def says_wait(self) -> bool:
        return self.status in COME_BACK or (self.status == 409 and self.code == "seats_busy")

    def json(self) -> Any:
        try:
            return json.loads(self.body)
        except ValueError:
            return {}

    @property
    def code(self) -> str:
        """Of the refusal; nothing if it is none."""
        if self.is_good or self.status in (0, 303):
            return ""
        read = self.json()
        return str(read.get("code", "")) if isinstance(read, dict) else ""

    def wait_seconds(self, attempt: int, luck: float) -> float:
        """As told, or twice as long each time; spread, so that not all come back at once."""
        told = self.headers.get("Retry-After", "")
        if told.isdecimal():
            return min(float(told), LONGEST_WAIT) * (1 + 0.5 * luck)
        return min(0.5 * 2.0**attempt, LONGEST_WAIT) * (0.5 + luck)


def place_in(body: Any, names: tuple[str, ...] = PLACE) -> dict[str, Any]:
    """What a history keeps of a standing."""
    return {name: body[name] for name in names if name in body}


def glimpse(text: str) -> tuple[str, str]:
    """State and number of a standing, without reading it: (`WAITING`, `5124`)."""
    state = text.find(STATE) + len(STATE)
    number = text.find(NUMBER) + len(NUMBER)
    return text[state : text.find('"', state)], text[number : text.find(",", number)]


def is_standing(text: str) -> bool:
    return text.startswith('{"type":"standing"')


def brings_token(text: str) -> bool:
    return '"token":"' in text


def csrf_token(page: bytes) -> str:
    found = CSRF.search(page)
    return found[1].decode() if found else ""


def told_in(address: str) -> dict[str, str]:
    """What a redirect carries in its query."""
    return dict(parse_qsl(urlsplit(address).query))
