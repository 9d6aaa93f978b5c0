"""The queue's calls in the OpenAPI document, with examples."""

from typing import Any

from drf_spectacular.utils import OpenApiResponse

from ticketing.accounts.errors import EmailNotConfirmed, IdentityNotVerified, TooYoung
from ticketing.core import errors as core
from ticketing.core.api_schema import example, refusals
from waiting_queue import errors
from waiting_queue.api.serializers import (
    AnsweredSerializer,
    AppealSerializer,
    BlockSerializer,
    JoinedSerializer,
    LeftSerializer,
    OutlookSerializer,
    ShortStandingSerializer,
    StandingSerializer,
)

AUTH_TO_JOIN: list[dict[str, list[str]]] = [{"session": []}, {"token": []}]
AUTH = [*AUTH_TO_JOIN, {"queue_token": []}]


EXAMPLE: dict[str, Any] = {
    "status": "waiting",
    "state": "WAITING",
    "lane": 0,
    "number": 5124,
    "position": 5001,
    "ahead": 5000,
    "rank": 5000,
    "aheadCount": 5000,
    "total": 18204,
    "lobby": 0,
    "eta_seconds": 527,
    "eta_low_seconds": 450,
    "eta_high_seconds": 611,
    "paused": False,
    "deadline": None,
    "queue_state": "open",
    "mode": "first_come",
    "next_poll_ms": 23500,
    "turn": 812,
    "server_time": "2027-03-02T11:04:12.250+00:00",
    "token": None,
    "elsewhere": False,
    "go_to": None,
}
JOINED = EXAMPLE | {
    "token": "qr_Ny40Mi41MTI0LkFiQ2RFZkdoSWpLbA.c2lnbmVkIGJ5IHVzIGFsb25l",
    "socket_after_ms": 2400,
}
SHORT = {name: JOINED[name] for name in ("token", "status", "rank", "aheadCount")}
INSIDE = (
    EXAMPLE
    | {"status": "entered", "state": "ADMITTED", "next_poll_ms": 10700, "go_to": "/events/7/seats/"}
    | dict.fromkeys(["position", "rank"])
    | dict.fromkeys(
        ["ahead", "aheadCount", "eta_seconds", "eta_low_seconds", "eta_high_seconds"], 0
    )
    | {"deadline": "2027-03-02T11:09:12.250+00:00"}
)
BLOCKED = errors.Blocked(why="three accounts")
ANOTHER_LINE = errors.InAnotherLine(events=[4])
OUT_OF_REACH = [errors.QueueUnavailable(), core.Unavailable()]
NO_LINE = [errors.NoQueue(), errors.QueueNotOpen(), errors.QueueOver(), *OUT_OF_REACH]
UNKNOWN = [core.NotLoggedIn(), errors.BadQueueToken()]
CHANGES = [core.ForeignOrigin(), core.TooLarge()]


def call(operation_id: str, summary: str, description: str, **more: Any) -> dict[str, Any]:
    return {
        "operation_id": operation_id,
        "summary": summary,
        "description": description,
        "tags": ["queue"],
        "request": None,
        "auth": AUTH,
    } | more


STANDING = call(
    "show_standing",
    "Where I stand",
    "Asking is the sign of life that keeps the place, and renews a pass. Ask again after "
    "`next_poll_ms`. Costs no SQL.",
    responses={200: StandingSerializer} | refusals(*NO_LINE, *UNKNOWN),
    examples=[example(EXAMPLE)],
)
LANE_NOT_OPEN = errors.LaneNotOpen(opens_at="2027-03-02T11:00:00.000+00:00")
CHALLENGE = {
    "kind": "proof_of_work",
    "level": 1,
    "proof_of_work": {"parameters": {"algorithm": "PBKDF2/SHA-256", "cost": 200}, "signature": "…"},
    "wait": {"seconds": 5, "token": "ch_…"},
}
JOIN_REFUSALS = refusals(
    *(*NO_LINE, errors.QueueFull(), ANOTHER_LINE, BLOCKED, *CHANGES, core.NotLoggedIn()),
    *(LANE_NOT_OPEN, errors.TooManyMoves(), errors.ChallengeRequired(challenge=CHALLENGE)),
    *(EmailNotConfirmed(), IdentityNotVerified(event=7), TooYoung(age=19)),
)
JOIN = call(
    "join_queue",
    "Join the line",
    "The first time 201 with a number; after that 200 with the same number. With room inside and "
    "nobody waiting, one is inside at once. Keep the `token`: with it, polling needs no session. "
    "In a rush a challenge (ALTCHA) is to be solved: send the solution in `Challenge-Solution`.",
    auth=AUTH_TO_JOIN,
    responses={
        201: OpenApiResponse(JoinedSerializer, "Joined.", [example(JOINED, status=201)]),
        200: OpenApiResponse(JoinedSerializer, "Was there already.", [example(JOINED)]),
    }
    | JOIN_REFUSALS,
)
TOKEN = call(
    "join_queue_for_token",
    "Join the line, in short",
    "The same as joining the line, with four fields of its answer.",
    auth=AUTH_TO_JOIN,
    responses={
        201: OpenApiResponse(ShortStandingSerializer, "Joined.", [example(SHORT, status=201)]),
        200: OpenApiResponse(ShortStandingSerializer, "Was there already.", [example(SHORT)]),
    }
    | JOIN_REFUSALS,
)
CLAIM = call(
    "claim_place",
    "Come in",
    "For whoever is READY, until the `deadline`. Claiming twice is fine. `token` is then the pass: "
    "it names the browser that claimed (by its cookie, which the answer sets; without cookies by "
    "the bearer token), lasts ten minutes, and is renewed by asking for the standing.",
    responses={200: StandingSerializer}
    | refusals(
        *(*NO_LINE, errors.NotYourTurn(), errors.TooLate(), errors.NotInLine()),
        *(*CHANGES, *UNKNOWN),
    ),
    examples=[example(INSIDE)],
)
LEAVE = call(
    "leave_queue",
    "Leave the line",
    "Gives up place, call or pass at once. Leaving twice is fine: `was` is then `none`.",
    responses={200: LeftSerializer} | refusals(*NO_LINE, *CHANGES, *UNKNOWN),
    examples=[example({"was": "waiting"})],
)
OUTLOOK = call(
    "show_outlook",
    "Will there be seats",
    "What everybody in line is told alike, at most a few seconds old; for those who poll. Empty "
    "before the queue opens. Costs no SQL while it runs.",
    auth=[],
    responses={200: OutlookSerializer} | refusals(errors.NoQueue(), core.Unavailable()),
    examples=[
        example(
            {
                "notice": "",
                "sold_out": False,
                "grades": [
                    {
                        "code": "R",
                        "name_ko": "R석",
                        "name_en": "R seat",
                        "free": 412,
                        "likely": 288,
                        "maybe": 535,
                    }
                ],
            }
        )
    ],
)
APPEALED = {
    "words": "These are my sister's account and mine; we share a phone.",
    "state": "open",
    "at": "2027-03-02T11:04:12.250+00:00",
    "answer": "",
}
APPEAL = call(
    "appeal_block",
    "Answer a block",
    "For somebody who was blocked in this line: operators read it, and may lift the block. One at "
    "a time, three in all.",
    auth=AUTH_TO_JOIN,
    request=AppealSerializer,
    responses={201: OpenApiResponse(AnsweredSerializer, "Sent.", [example(APPEALED, status=201)])}
    | refusals(
        *(core.InvalidInput(), core.NotLoggedIn(), core.ForeignOrigin(), errors.NoQueue()),
        *(errors.NotBlocked(), errors.AppealWaits(), errors.AppealsUsedUp(), core.Unavailable()),
    ),
)
APPEAL_SHOWN = call(
    "show_appeal",
    "Why I am blocked, and what was said",
    "The reason of the block, the last appeal against it and its answer.",
    auth=AUTH_TO_JOIN,
    responses={200: BlockSerializer}
    | refusals(core.NotLoggedIn(), errors.NoQueue(), core.Unavailable()),
    examples=[example({"blocked_why": "three accounts", "appeal": APPEALED})],
)
