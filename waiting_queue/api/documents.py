"""What the OpenAPI document says about the queue's calls, with examples."""

from typing import Any

from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers

from ticketing.accounts.errors import EmailNotConfirmed, IdentityNotVerified, TooYoung
from ticketing.core import errors as core
from ticketing.core.api_schema import example, refusals
from waiting_queue import errors
from waiting_queue.models import APPEAL_MAX_LENGTH, BlockAppeal, SaleQueue

PLACES = ["lobby", "waiting", "ready"]
ENDS = ["completed", "at_limit", "left", "expired", "blocked", "closed", "none"]
STATUSES = [*PLACES, "entered", *ENDS]
STATES = [name.upper() for name in [*PLACES, "admitted", *ENDS]]
AUTH_TO_JOIN: list[dict[str, list[str]]] = [{"session": []}, {"token": []}]
AUTH = [*AUTH_TO_JOIN, {"queue_token": []}]


def whole(help_text: str) -> serializers.IntegerField:
    return serializers.IntegerField(allow_null=True, min_value=0, help_text=help_text)


class PartyInLineSerializer(serializers.Serializer):
    leads = serializers.BooleanField(help_text="The place is this person's own.")
    people = serializers.IntegerField(
        allow_null=True, min_value=2, help_text="With the leader; null once they are called."
    )


class StandingSerializer(serializers.Serializer):
    status = serializers.ChoiceField(
        STATUSES, help_text="`entered` is the same as the state `ADMITTED`."
    )
    state = serializers.ChoiceField(STATES)
    lane = serializers.IntegerField(
        min_value=0, help_text="The lane of the line; 0: everybody's. Places are within the lane."
    )
    number = whole("The number that was drawn; it never changes while one stays.")
    position = whole("Place in line, from 1; null for whoever does not wait.")
    ahead = whole("People in front.")
    rank = whole("The same as `position`, from 0.")
    aheadCount = whole("The same as `ahead`.")  # noqa: N815 - as the outside knows it
    total = serializers.IntegerField(min_value=0, help_text="People waiting in this lane.")
    lobby = serializers.IntegerField(min_value=0, help_text="People who wait for a draw.")
    eta_seconds = whole("Expected wait, from the pace of the last minutes; null if unknown.")
    eta_low_seconds = whole("If the line moves as fast as it lately did at its best.")
    eta_high_seconds = whole("If it moves as slowly as it lately did; null if unknown.")
    paused = serializers.BooleanField(help_text="Nobody is called at the moment.")
    deadline = serializers.DateTimeField(
        allow_null=True, help_text="READY: claim until then. ADMITTED: the pass lasts until then."
    )
    queue_state = serializers.ChoiceField(SaleQueue.State.values)
    mode = serializers.ChoiceField(
        SaleQueue.Mode.values,
        allow_blank=True,
        help_text="How people get their places; LOBBY in `minute_draw`: at the end of the minute.",
    )
    next_poll_ms = serializers.IntegerField(min_value=0, help_text="Ask again after so long.")
    turn = serializers.IntegerField(
        min_value=0,
        help_text="Send it with the next poll: no older place is answered.",
    )
    server_time = serializers.DateTimeField()
    token = serializers.CharField(
        allow_null=True,
        help_text="The queue token, `qr_…`; null: the one in use is still right. Of whoever is "
        "ADMITTED it is the pass, for the browser that has it.",
    )
    elsewhere = serializers.BooleanField(
        help_text="Another browser of this person has the pass: only that one can hold seats."
    )
    go_to = serializers.CharField(
        allow_null=True, help_text="ADMITTED: the address of the page to go to."
    )

    party = PartyInLineSerializer(
        required=False,
        help_text="Only in a party, and only where the answer was read from the line.",
    )
    demoted_why = serializers.CharField(
        required=False,
        help_text="Why you were moved to the end of the line, where it was read from it. "
        "`group: …`: by the system, which gives the place back to whoever verifies who they are.",
    )


class JoinedSerializer(StandingSerializer):
    socket_after_ms = serializers.IntegerField(
        min_value=0, help_text="Open the websocket after so long, and poll until then."
    )


class GradeOutlookSerializer(serializers.Serializer):
    code = serializers.CharField()
    name_ko = serializers.CharField()
    name_en = serializers.CharField()
    free = serializers.IntegerField(min_value=0, help_text="Seats of this grade that are free now.")
    likely = serializers.IntegerField(
        min_value=0, help_text="With fewer people ahead than this, a seat is likely."
    )
    maybe = serializers.IntegerField(
        min_value=0, help_text="With fewer people ahead than this, a seat is possible."
    )


class OutlookSerializer(serializers.Serializer):
    notice = serializers.CharField(allow_blank=True, help_text="The operator's words to everyone.")
    sold_out = serializers.BooleanField(help_text="No seat is free, nor held by anybody.")
    grades = GradeOutlookSerializer(many=True)


class ShortStandingSerializer(serializers.Serializer):
    token = serializers.CharField(allow_null=True, help_text="`qr_…`")
    status = serializers.ChoiceField(STATUSES)
    rank = whole("Place in line, from 0; null for whoever does not wait.")
    aheadCount = whole("People in front.")  # noqa: N815 - as the outside knows it


class LeftSerializer(serializers.Serializer):
    was = serializers.ChoiceField(["lobby", "waiting", "ready", "admitted", "none"])


class AppealSerializer(serializers.Serializer):
    words = serializers.CharField(
        max_length=APPEAL_MAX_LENGTH, help_text="Why the block is a mistake; operators read it."
    )


class AnsweredSerializer(AppealSerializer):
    state = serializers.ChoiceField(BlockAppeal.State.values)
    at = serializers.DateTimeField()
    answer = serializers.CharField(allow_blank=True, help_text="What an operator said to it.")


class BlockSerializer(serializers.Serializer):
    blocked_why = serializers.CharField(
        allow_blank=True, help_text="The reason of the block; empty: not blocked."
    )
    appeal = AnsweredSerializer(allow_null=True, help_text="The last one.")


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
