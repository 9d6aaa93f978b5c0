"""What is sent to open seat maps: written once for everybody of an event."""

import json
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from django.utils import translation

from reservations.errors import error_from_code
from ticketing.core.error_responses import body as error_body

Changes = dict[int, str]  # seat -> letter

dumps = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode
REFRESH = dumps({"type": "refresh"})


def changes_of(news: Iterable[tuple[str, str, list[int]]]) -> Changes:
    """Of a seat that changed twice, only what it is now."""
    return {seat: letter for _, letter, seats in news for seat in seats}


def seats_frame(changes: Changes) -> str:
    by_letter: dict[str, list[int]] = defaultdict(list)
    for seat, letter in changes.items():
        by_letter[letter].append(seat)
    return dumps({"type": "seats", "changes": by_letter})


def request_frame(told: dict[str, Any], language: str) -> str:
    """An asynchronous request in its new state; a refusal in its reader's language."""
    refusal = told["refusal"]
    with translation.override(language):
        words = error_body(error_from_code(**refusal)) if refusal else None
    return dumps({"type": "request", **told, "refusal": words})
