"""What the OpenAPI document says about doors, with examples."""

from typing import Any

from drf_spectacular.utils import OpenApiRequest

from reservations import errors
from reservations.api.door_serializers import (
    BatchSerializer,
    CheckedInSerializer,
    CheckInSerializer,
    CountsSerializer,
)
from ticketing.core import errors as core
from ticketing.core.api_schema import example, refusals

KEY = "5e9a6f0c-7d0b-4c53-9d2e-2f8f2f1f6a11"
LET_IN: dict[str, Any] = {
    "key": KEY,
    "answer": "VALID",
    "message": "Valid: welcome",
    "reason": "",
    "used_at": None,
    "conflict": False,
    "undone": False,
    "undo_until": "2027-03-20T18:41:07.120000+09:00",
    "code": "K7QF2M9XTP",
    "name": "Kim Haneul",
    "seat": "Section A, row 1, seat 2",
    "grade": "R seat",
    "entry_number": None,
}
COUNTS = {
    "event": 7,
    "expected": 540,
    "inside": 132,
    "sections": [{"section": "A", "expected": 540, "inside": 132}],
}
STAFF = [core.NotLoggedIn(), core.NotAllowed(), core.Unavailable()]


def call(operation_id: str, summary: str, description: str, **more: Any) -> dict[str, Any]:
    return {
        "operation_id": operation_id,
        "summary": summary,
        "description": description,
        "tags": ["door"],
        "auth": [{"session": []}, {"token": []}],
    } | more


CHECK_IN = call(
    "check_tickets_in",
    "Check tickets in",
    "Up to a hundred at once, each for itself: one ticket lets one person in, once, however many "
    "doors see it. A `key` that was sent before is told the same again, so that whoever got no "
    "answer sends everything once more. For staff with the permission `reservations.check_in`.",
    request=OpenApiRequest(BatchSerializer),
    responses={200: CheckedInSerializer}
    | refusals(core.InvalidInput(), core.NotFound(), core.ForeignOrigin(), *STAFF),
    examples=[example({"check_ins": [LET_IN], "counts": COUNTS})],
)
UNDO = call(
    "undo_check_in",
    "Undo a check-in",
    "For ten minutes; the ticket is good again. Twice is fine. Kept with who and when.",
    request=None,
    responses={200: CheckInSerializer}
    | refusals(errors.NoCheckIn(), errors.TooLateToUndo(minutes=10), core.ForeignOrigin(), *STAFF),
    examples=[
        example(LET_IN | {"message": "Undone: not inside", "undone": True, "undo_until": None})
    ],
)
SHOW_COUNTS = call(
    "door_counts",
    "How many are inside",
    "Of every section of an event.",
    responses={200: CountsSerializer} | refusals(core.NotFound(), *STAFF),
    examples=[example(COUNTS)],
)
