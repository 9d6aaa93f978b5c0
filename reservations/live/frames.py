"""The texts pushed to open seat maps; all maps of an event get the same one."""

import json
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
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


def pass_frame(is_elsewhere: bool) -> str:
    """Whether the fan goes on in another browser than the one that gets this."""
    return dumps({"type": "pass", "elsewhere": is_elsewhere})


def request_body(request: HoldRequest, *, refusal: dict[str, Any] | None = None) -> dict[str, Any]:
    """A hold request as the API answers it.

    Without a `refusal` to show, its own is explained in the language of the call.
    """
    is_over = request.finished_at is not None
    if request.refusal and not refusal:
        refusal = error_body(error_from_code(**request.refusal))
    is_next = request.state == HoldRequest.State.PROCESSING
    return {
        "code": request.code,
        "event": request.event_id,
        "state": request.state.upper(),
        "seats": request.seats,
        "place": 1 if is_next else None if is_over else request.place,
        "created_at": request.created_at,
        "reservation": request.reservation.code if request.reservation else None,
        "refusal": refusal,
        # Far back in line, nothing changes for a while.
        "next_poll_ms": None if is_over else min(1_000 + 10 * (request.place or 0), 10_000),
    }


def request_frame(request: dict[str, Any], language: str) -> str:
    """A hold request in its new state; a refusal in its reader's language."""
    refusal = request["refusal"]
    explained = json.loads(_explained(dumps(refusal), language)) if refusal else None
    return dumps({"type": "RESERVATION_STATUS", **request, "refusal": explained})


@lru_cache(maxsize=64)
def _explained(refusal: str, language: str) -> str:
    """A crowd that loses one seat gets the same text."""
    with translation.override(language):
        return dumps(error_body(error_from_code(**json.loads(refusal))))
