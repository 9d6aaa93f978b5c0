"""The calls of lanes in the OpenAPI document, with examples."""

from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers

from ticketing.accounts.errors import EmailNotConfirmed, IdentityNotVerified, TooYoung
from ticketing.core import errors as core
from ticketing.core.api_schema import example, refusals
from waiting_queue import errors
from waiting_queue.api.documents import (
    ANOTHER_LINE,
    AUTH_TO_JOIN,
    BLOCKED,
    CHALLENGE,
    JOINED,
    LANE_NOT_OPEN,
    NO_LINE,
    call,
)
from waiting_queue.api.serializers import JoinedSerializer
from waiting_queue.models import MAX_LANES, Lane


class JoinLaneSerializer(serializers.Serializer):
    lane = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=MAX_LANES,
        help_text="Needed for a lane whose key is the e-mail address.",
    )
    code = serializers.CharField(
        required=False,
        max_length=64,
        help_text="A code, or the membership number; not needed by whoever has used it here.",
    )


class LaneSerializer(serializers.Serializer):
    lane = serializers.IntegerField(min_value=0, max_value=MAX_LANES)
    name_ko = serializers.CharField()
    name_en = serializers.CharField()
    key = serializers.ChoiceField(Lane.Key.values)
    weight = serializers.IntegerField(min_value=1, help_text="Admissions beside other lanes.")
    opens_at = serializers.DateTimeField(allow_null=True, help_text="null: with the queue.")
    grades = serializers.ListField(
        child=serializers.CharField(), help_text="What people of it may buy; empty: all."
    )
    sections = serializers.ListField(
        child=serializers.CharField(), help_text="Where people of it may buy; empty: everywhere."
    )


class LanesSerializer(serializers.Serializer):
    lanes = LaneSerializer(many=True)


LANE = {
    "lane": 1,
    "name_ko": "팬클럽 선예매",
    "name_en": "Fan-club presale",
    "key": "codes",
    "weight": 3,
    "opens_at": None,
    "grades": ["R", "S"],
    "sections": [],
}
LANES = call(
    "list_lanes",
    "The lanes of a line",
    "Most lines have none: the list is empty then.",
    auth=[],
    responses={200: LanesSerializer} | refusals(errors.NoQueue(), core.Unavailable()),
    examples=[example({"lanes": [LANE]})],
)
JOIN_LANE = call(
    "join_lane",
    "Join a lane of the line",
    "With its key: a code, which is for one person and stays theirs; a membership number; or the "
    "e-mail address of the account. Without `lane` and `code` it is the same as joining the line.",
    auth=AUTH_TO_JOIN,
    request=JoinLaneSerializer,
    responses={
        201: OpenApiResponse(
            JoinedSerializer, "Joined.", [example(JOINED | {"lane": 1}, status=201)]
        ),
        200: OpenApiResponse(JoinedSerializer, "Was there already."),
    }
    | refusals(
        *(*NO_LINE, errors.QueueFull(), ANOTHER_LINE, BLOCKED, core.NotLoggedIn()),
        *(core.ForeignOrigin(), core.InvalidInput(), core.NotFound(), core.TooManyRequests()),
        *(LANE_NOT_OPEN, errors.LaneKeyUnknown(), errors.LaneKeyUsed(), errors.NotOnLaneList()),
        *(errors.InAnotherLane(), errors.TooManyMoves(), EmailNotConfirmed()),
        *(IdentityNotVerified(event=7), TooYoung(age=19)),
        errors.ChallengeRequired(challenge=CHALLENGE),
    ),
)
