"""Responses and frames of the site, parsed only as far as needed: most repeat what is known."""

import json
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from ticketing.rehearsal.simulator.history import LANE_NUMBERS

STANDING = ("state", "number", "position", "ahead", "total", "server_time")
STANDING_WITH_DEADLINE = (*STANDING, "deadline")
STATE, NUMBER, AHEAD = '"state":"', '"number":', '"ahead":'
CSRF = re.compile(rb'name="csrfmiddlewaretoken" value="([^"]+)"')
CODE = re.compile(rb'data-code="(\w+)"')
# A user retries after these; 0 is a lost answer.
RETRY_STATUSES = frozenset({0, 429, 500, 502, 503, 504})
MAX_DELAY = 30.0


@dataclass(frozen=True, slots=True)
class Response:
    """The response to one call; status 0 if there was none."""

    status: int
    began: float
    ended: float
    body: bytes = b""
    headers: Any = field(default_factory=dict)

    @property
    def is_ok(self) -> bool:
        return 200 <= self.status < 300

    @property
    def asks_to_retry(self) -> bool:
        return self.status in RETRY_STATUSES or (self.status == 409 and self.code == "seats_busy")

    @property
    def cookies(self) -> dict[str, str]:
        """What the site asks to keep."""
        if "Set-Cookie" not in self.headers:
            return {}
        pairs = (each.partition(";")[0] for each in self.headers.getall("Set-Cookie"))
        return {name: value for name, _, value in (pair.partition("=") for pair in pairs)}

    def json(self) -> Any:
        try:
            return json.loads(self.body)
        except ValueError:
            return {}

    @property
    def code(self) -> str:
        """The error code of a refusal, in JSON or on a page, or an empty string."""
        if self.is_ok or self.status in (0, 302, 303):
            return ""
        if on_page := CODE.search(self.body):
            return on_page[1].decode()
        read = self.json()
        return str(read.get("code", "")) if isinstance(read, dict) else ""

    def retry_delay(self, attempt: int, jitter: float) -> float:
        """Seconds by Retry-After, or doubling; with jitter, so that not all come back at once."""
        retry_after = self.headers.get("Retry-After", "")
        if retry_after.isdecimal():
            return min(float(retry_after), MAX_DELAY) * (1 + 0.5 * jitter)
        return min(0.5 * 2.0**attempt, MAX_DELAY) * (0.5 + jitter)


def standing_fields(body: Any, names: tuple[str, ...] = STANDING) -> dict[str, Any]:
    """The fields of a standing that are recorded; a number says its lane, as in the journal."""
    fields = {name: body[name] for name in names if name in body}
    if body.get("lane") and fields.get("number"):
        fields["number"] += body["lane"] * LANE_NUMBERS
    return fields


def peek_standing(text: str) -> tuple[str, str]:
    """State and number of a standing without parsing it: (`WAITING`, `5124`)."""
    state = text.find(STATE) + len(STATE)
    number = text.find(NUMBER) + len(NUMBER)
    return text[state : text.find('"', state)], text[number : text.find(",", number)]


def peek_ahead(text: str) -> int:
    """The people ahead in a standing, without parsing it; 0 for whoever does not wait."""
    ahead = text.find(AHEAD) + len(AHEAD)
    digits = text[ahead : text.find(",", ahead)]
    return int(digits) if digits.isdigit() else 0


def is_standing(text: str) -> bool:
    return text.startswith('{"type":"standing"')


def brings_token(text: str) -> bool:
    return '"token":"' in text


def csrf_token(page: bytes) -> str:
    found = CSRF.search(page)
    return found[1].decode() if found else ""


def redirect_params(address: str) -> dict[str, str]:
    """The query parameters of a redirect."""
    return dict(parse_qsl(urlsplit(address).query))
