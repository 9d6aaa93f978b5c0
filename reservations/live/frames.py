"""The texts pushed to open seat maps; all maps of an event get the same one."""

import json
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from django.utils import translation

from reservations.errors import error_from_code
from reservations.models import HoldRequest
from reservations.store import SeatChange
from ticketing.core.error_responses import body as error_body

SeatStates = dict[int, str]  # seat -> letter

dumps = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode
REFRESH = dumps({"type": "refresh"})


def latest_states(changes: Iterable[SeatChange]) -> SeatStates:
    """Of a seat that changed twice, only the last state."""
    return {seat: letter for _, letter, seats in changes for seat in seats}


def seats_frame(states: SeatStates) -> str:
    by_letter: dict[str, list[int]] = defaultdict(list)
    for seat, letter in states.items():
        by_letter[letter].append(seat)
    return dumps({"type": "seats", "changes": by_letter})


def request_body(request: HoldRequest) -> dict[str, Any]:
    """A hold request as the API answers it; a refusal in the language of the call."""
    refusal, is_over = request.refusal, request.finished_at is not None
    return {
        "code": request.code,
        "event": request.event_id,
        "state": request.state.upper(),
        "seats": request.seats,
        "created_at": request.created_at,
        "reservation": request.reservation.code if request.reservation else None,
        "refusal": error_body(error_from_code(**refusal)) if refusal else None,
        "next_poll_ms": None if is_over else 1_000,
    }


def request_frame(request: dict[str, Any], language: str) -> str:
    """A hold request in its new state; a refusal in its reader's language."""
    refusal = request["refusal"]
    with translation.override(language):
        explained = error_body(error_from_code(**refusal)) if refusal else None
    return dumps({"type": "request", **request, "refusal": explained})
