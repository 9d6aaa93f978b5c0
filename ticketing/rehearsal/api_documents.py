"""What the OpenAPI document says about rehearsals, with examples."""

from typing import Any

from drf_spectacular.utils import OpenApiRequest, OpenApiResponse

from ticketing.core import errors as core
from ticketing.core.api_schema import example, refusals
from ticketing.events import errors as events
from ticketing.rehearsal import api_serializers as shapes
from ticketing.rehearsal import errors

AUTH: list[dict[str, list[str]]] = [{"session": []}, {"token": []}]
CODE = "bkqtxzwm"
KNOBS = {
    "max_inside": 800,
    "admit_per_second": 40,
    "capacity": 50000,
    "claim_seconds": 60,
    "pass_seconds": 300,
    "pass_max_seconds": 1800,
    "absence_seconds": 300,
}
SETTING = {
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
    "limit_per_person": 4,
    "hold_seconds": 300,
    "seats": 19800,
    "payments": True,
    "knobs": KNOBS,
    "seed_hash": "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
    "server_time": "2027-03-01T21:00:00+09:00",
}
PERSON = {
    "number": 0,
    "id": 991,
    "email": f"fan-0@{CODE}.rehearsal.invalid",
    "session": "7f3a0c51d2e94b86a1f0c3d2e4b5a697",
}
PULSE = {
    "at": "2027-03-01T21:01:00+09:00",
    "state": "open",
    "lobby": 0,
    "waiting": 3120,
    "ready": 12,
    "inside": 640,
    "max_inside": 800,
    "admit_per_second": 40,
    "seats": {"free": 15200, "held": 1300, "paying": 300, "sold": 3000},
    "tick_age_seconds": 0.4,
    "database_ms": 1.2,
    "redis_ms": 0.3,
    "breaker": "closed",
}
ENTRY = {"id": 1, "at": "2027-03-01T21:00:30+09:00", "person": 991, "kind": "join", "number": 1}
FACTS: dict[str, Any] = {
    "settled": True,
    "reservations": [],
    "payments": [],
    "charges": [],
    "tickets": [],
    "sold": [],
    "seats": {"available": 19800, "held": 0, "sold": 0, "held_back": 200},
    "draw": None,
}
STAFF = [core.NotLoggedIn(), core.NotAllowed(), core.Unavailable()]
CHANGES = [core.InvalidInput(), *STAFF]
THIS = [errors.NoRehearsal(), errors.RehearsalOver()]


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
    "Copy an event and begin to rehearse its sale",
    "For staff who may rehearse. The copy is in no list; nothing of it costs money, and nobody is "
    "mailed. One rehearsal at a time.",
    request=OpenApiRequest(shapes.StartRehearsalSerializer),
    responses=answers(
        shapes.SettingSerializer,
        SETTING,
        *(errors.AnotherRehearsal(code=CODE), errors.RehearsalOfRehearsal()),
        *(events.NoSeats(), events.GradesMissing(codes="R")),
        *(errors.NothingToRehearse(), core.NotFound(), *CHANGES),
        status=201,
    ),
)
SHOW = call(
    "show_rehearsal",
    "What a rehearsal is set to",
    "The same as was told when it began.",
    responses=answers(shapes.SettingSerializer, SETTING, *THIS, *STAFF),
)
PEOPLE = call(
    "make_rehearsal_people",
    "Make people, logged in",
    "The same numbers are the same people.",
    request=OpenApiRequest(shapes.WantedPeopleSerializer),
    responses=answers(shapes.PeopleSerializer, {"people": [PERSON]}, *THIS, *CHANGES, status=201),
)
MOVE = call(
    "move_rehearsal",
    "Open the lobby or the sale, pause, resume, drain, close",
    "A repeat changes nothing.",
    request=OpenApiRequest(shapes.MoveSerializer),
    responses=answers(
        shapes.MovedSerializer,
        {"state": "open"},
        core.IllegalMove(before="closed", after="open"),
        *(*THIS, *CHANGES),
    ),
)
TURN = call(
    "turn_rehearsal_knobs",
    "Turn knobs of the queue",
    "As an operator would.",
    request=OpenApiRequest(shapes.KnobsSerializer),
    responses=answers(shapes.KnobsSerializer, KNOBS, *THIS, *CHANGES),
)
WEATHER = call(
    "make_rehearsal_weather",
    "Have the payment sandbox fail or be slow",
    "For the whole sandbox, until the clean-up.",
    request=OpenApiRequest(shapes.WeatherSerializer),
    responses=answers(
        shapes.WeatherSerializer,
        {"failure_rate": 0.3, "latency": 1.0},
        *(errors.NoSandbox(), *THIS, *CHANGES),
    ),
)
PULSE_OF = call(
    "show_rehearsal_pulse",
    "The sale at this moment",
    "To be asked every second; a rehearsal of which nobody asks for ten minutes is cleaned up.",
    responses=answers(shapes.PulseSerializer, PULSE, *THIS, *STAFF),
)
JOURNAL = call(
    "show_rehearsal_journal",
    "What happened in the line, in order",
    "Ten thousand entries at most; `more`: ask again after the last.",
    parameters=[shapes.JournalQuery],
    responses=answers(
        shapes.JournalSerializer, {"entries": [ENTRY], "more": False}, *THIS, *CHANGES
    ),
)
FACTS_OF = call(
    "show_rehearsal_facts",
    "What the database and the gateway say in the end",
    "While it is not settled, ask again.",
    responses=answers(shapes.FactsSerializer, FACTS, *THIS, *STAFF),
)
REPORT = call(
    "keep_rehearsal_report",
    "Hand in the report",
    "Also after the clean-up. It is shown in the admin.",
    request=OpenApiRequest(shapes.ReportSerializer),
    responses=answers(
        shapes.KeptSerializer, {"state": "passed"}, errors.NoRehearsal(), *CHANGES, status=201
    ),
)
CLEAN_UP = call(
    "clean_up_rehearsal",
    "Take the copy, its people and all of theirs away",
    "Says what is left behind, counted afresh. Twice is fine.",
    responses=answers(
        shapes.LeftBehindSerializer,
        {"left_behind": {"reservations.Reservation": 0, "redis": 0}},
        *(errors.NoRehearsal(), *STAFF),
    ),
)
