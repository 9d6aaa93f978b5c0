"""The OpenAPI descriptions of the rehearsal API, with examples."""

from typing import Any

from drf_spectacular.utils import OpenApiRequest, OpenApiResponse

from ticketing.core import errors as core
from ticketing.core.api_schema import example, refusals
from ticketing.events import errors as events
from ticketing.rehearsal import errors
from ticketing.rehearsal.api import serializers

AUTH: list[dict[str, list[str]]] = [{"session": []}, {"token": []}]
CODE = "bkqtxzwm"
KNOBS_EXAMPLE = {
    "max_inside": 800,
    "admit_per_second": 40,
    "capacity": 50000,
    "claim_seconds": 60,
    "pass_seconds": 300,
    "pass_max_seconds": 1800,
    "absence_seconds": 300,
    "moves_groups": True,
}
SETTING_EXAMPLE = {
    "code": CODE,
    "event": 4711000000000007,
    "source": 7,
    "title": {"ko": "[리허설] 달빛 콘서트", "en": "[Rehearsal] Moonlight Concert"},
    "fans": 5000,
    "minutes": 3,
    "profile": "rush",
    "faults": "none",
    "seed": 1,
    "cookie": "sessionid",
    "identity_level": "email",
    "limit_per_person": 4,
    "hold_seconds": 300,
    "seats": 19800,
    "payments": True,
    "knobs": KNOBS_EXAMPLE,
    "secret_sha256": "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
    "public_value": "",
    "server_time": "2027-03-01T21:00:00+09:00",
}
PERSON_EXAMPLE = {
    "number": 0,
    "id": 991,
    "email": f"fan-0@{CODE}.rehearsal.invalid",
    "session": "7f3a0c51d2e94b86a1f0c3d2e4b5a697",
    "lane": 0,
}
SNAPSHOT_EXAMPLE = {
    "at": "2027-03-01T21:01:00+09:00",
    "state": "open",
    "lobby": 0,
    "waiting": 3120,
    "unverified": 0,
    "ready": 12,
    "inside": 640,
    "max_inside": 800,
    "cap": 800,
    "admit_per_second": 40,
    "seats": {"free": 15200, "held": 1300, "paying": 300, "sold": 3000},
    "tick_age_seconds": 0.4,
    "database_ms": 1.2,
    "redis_ms": 0.3,
    "breaker": "closed",
    "oldest_charge_seconds": 0.8,
    "oldest_leak_seconds": 0.0,
}
ENTRY_EXAMPLE = {
    "id": 1,
    "at": "2027-03-01T21:00:30+09:00",
    "done": "2027-03-01T21:00:30.012+09:00",
    "person": 991,
    "kind": "join",
    "number": 1,
}
BOOKS_EXAMPLE = {
    "payments": [
        {
            "state": "succeeded",
            "count": 2,
            "amount": 220000,
            "refunded": 0,
            "charged": 220000,
            "returned": 0,
        }
    ],
    "seats": [[70001, "7KXW2MZR4C"], [70005, None]],
}
FACTS_EXAMPLE: dict[str, Any] = {
    "settled": True,
    "reservations": [],
    "payments": [],
    "charges": [],
    "tickets": [],
    "sold": [],
    "seats": {"available": 19800, "held": 0, "sold": 0, "held_back": 200},
    "draw": None,
}
STAFF_ERRORS = [core.NotLoggedIn(), core.NotAllowed(), core.Unavailable()]
WRITE_ERRORS = [core.InvalidInput(), *STAFF_ERRORS]
REHEARSAL_ERRORS = [errors.RehearsalNotFound(), errors.RehearsalOver()]


def call(operation_id: str, summary: str, description: str, **more: Any) -> dict[str, Any]:
    return {
        "operation_id": operation_id,
        "summary": summary,
        "description": description,
        "tags": ["rehearsals"],
        "auth": AUTH,
    } | more


def answers(shape: Any, value: Any, *possible: core.DomainError, status: int = 200) -> Any:
    return {status: OpenApiResponse(shape, "", [example(value, status=status)])} | refusals(
        *possible
    )


START = call(
    "start_rehearsal",
    "Copy an event and start a rehearsal of its sale",
    "For staff with the permission to rehearse. The copy is in no list, nothing is charged and no "
    "mail is sent. One rehearsal at a time.",
    request=OpenApiRequest(serializers.StartRehearsalSerializer),
    responses=answers(
        serializers.SettingSerializer,
        SETTING_EXAMPLE,
        *(errors.RehearsalAlreadyRunning(code=CODE), errors.RehearsalOfRehearsal()),
        *(events.NoSeats(), events.GradesMissing(codes="R")),
        *(errors.NoUpcomingSale(), core.NotFound(), *WRITE_ERRORS),
        status=201,
    ),
)
SHOW = call(
    "show_rehearsal",
    "The settings of a rehearsal",
    "The same answer as at the start.",
    responses=answers(
        serializers.SettingSerializer, SETTING_EXAMPLE, *REHEARSAL_ERRORS, *STAFF_ERRORS
    ),
)
PEOPLE = call(
    "make_rehearsal_people",
    "Create logged-in people",
    "A repeat returns the same people for the same numbers.",
    request=OpenApiRequest(serializers.WantedPeopleSerializer),
    responses=answers(
        serializers.PeopleSerializer,
        {"people": [PERSON_EXAMPLE]},
        *REHEARSAL_ERRORS,
        *WRITE_ERRORS,
        status=201,
    ),
)
MOVE = call(
    "move_rehearsal",
    "Open the lobby or the sale, pause, resume, drain, close",
    "A repeat changes nothing.",
    request=OpenApiRequest(serializers.MoveSerializer),
    responses=answers(
        serializers.MovedSerializer,
        {"state": "open"},
        core.IllegalMove(before="closed", after="open"),
        *(*REHEARSAL_ERRORS, *WRITE_ERRORS),
    ),
)
SET_KNOBS = call(
    "turn_rehearsal_knobs",
    "Set knobs of the queue",
    "As an operator would.",
    request=OpenApiRequest(serializers.KnobsSerializer),
    responses=answers(serializers.KnobsSerializer, KNOBS_EXAMPLE, *REHEARSAL_ERRORS, *WRITE_ERRORS),
)
GATEWAY_BEHAVIOUR = call(
    "make_rehearsal_weather",
    "Make the payment sandbox fail or be slow",
    "For the whole sandbox, until the clean-up.",
    request=OpenApiRequest(serializers.GatewayBehaviourSerializer),
    responses=answers(
        serializers.GatewayBehaviourSerializer,
        {"failure_rate": 0.3, "latency": 1.0},
        *(errors.NoSandbox(), *REHEARSAL_ERRORS, *WRITE_ERRORS),
    ),
)
SNAPSHOT = call(
    "show_rehearsal_snapshot",
    "The sale at this moment",
    "Meant for one call a second. A rehearsal without any call for ten minutes is cleaned up.",
    responses=answers(
        serializers.SnapshotSerializer, SNAPSHOT_EXAMPLE, *REHEARSAL_ERRORS, *STAFF_ERRORS
    ),
)
BOOKS = call(
    "show_rehearsal_books",
    "Money by our payments and by the gateway, and the owners of a part of the seats",
    "Money is one read of both. Seats whose number leaves `part` when divided by `parts`.",
    parameters=[serializers.BooksQuery],
    responses=answers(serializers.BooksSerializer, BOOKS_EXAMPLE, *REHEARSAL_ERRORS, *WRITE_ERRORS),
)
JOURNAL = call(
    "show_rehearsal_journal",
    "The journal of the queue, in order",
    "At most ten thousand entries; if `more`, ask again after the last one.",
    parameters=[serializers.JournalQuery],
    responses=answers(
        serializers.JournalSerializer,
        {"entries": [ENTRY_EXAMPLE], "more": False},
        *REHEARSAL_ERRORS,
        *WRITE_ERRORS,
    ),
)
FACTS = call(
    "show_rehearsal_facts",
    "The final rows of the database and the gateway",
    "Ask again until it is settled.",
    responses=answers(serializers.FactsSerializer, FACTS_EXAMPLE, *REHEARSAL_ERRORS, *STAFF_ERRORS),
)
REPORT = call(
    "keep_rehearsal_report",
    "Hand in the report",
    "Also after the clean-up. It is shown in the admin.",
    request=OpenApiRequest(serializers.ReportSerializer),
    responses=answers(
        serializers.ReportStateSerializer,
        {"state": "passed"},
        errors.RehearsalNotFound(),
        *WRITE_ERRORS,
        status=201,
    ),
)
CLEAN_UP = call(
    "clean_up_rehearsal",
    "Delete the copy, its people and everything of theirs",
    "Returns what is left, counted afresh. May be repeated.",
    responses=answers(
        serializers.LeftBehindSerializer,
        {"left_behind": {"reservations.Reservation": 0, "redis": 0}},
        *(errors.RehearsalNotFound(), *STAFF_ERRORS),
    ),
)
