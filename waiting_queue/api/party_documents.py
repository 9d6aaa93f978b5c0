"""The calls of parties in the OpenAPI document, with examples."""

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
    EXAMPLE,
    NO_LINE,
    call,
)
from waiting_queue.api.serializers import StandingSerializer


class PartySerializer(serializers.Serializer):
    leads = serializers.BooleanField(help_text="The place is this person's own.")
    people = serializers.IntegerField(min_value=1, help_text="With the leader.")
    code = serializers.CharField(allow_null=True, help_text="With it companions join.")
    code_ends = serializers.DateTimeField(allow_null=True)


class CodeSerializer(serializers.Serializer):
    code = serializers.CharField(max_length=40, help_text="As the leader got it.")


PARTY_OF_TWO = {
    "leads": True,
    "people": 2,
    "code": "K7Q2MWX4PD",
    "code_ends": "2027-03-02T11:34:12+00:00",
}
PARTY = call(
    "show_party",
    "My party",
    "How many people wait in this place, and the leader's code while it can be used.",
    auth=AUTH_TO_JOIN,
    responses={200: PartySerializer} | refusals(*NO_LINE, errors.NotInLine(), core.NotLoggedIn()),
    examples=[example(PARTY_OF_TWO)],
)
INVITE = call(
    "invite_companions",
    "Invite companions",
    "A code with which others join my place, for half an hour. They are called together with me, "
    "and the seats that one person may have are for all of us.",
    auth=AUTH_TO_JOIN,
    responses={200: PartySerializer}
    | refusals(
        *(*NO_LINE, errors.NotInLine(), errors.NoParties(), errors.NotLeader()),
        *(errors.PartyFull(), errors.TooLateForParty(), core.NotLoggedIn(), core.ForeignOrigin()),
    ),
    examples=[example(PARTY_OF_TWO)],
)
JOIN_PARTY = call(
    "join_party",
    "Join a party",
    "Wait in the place of whoever gave the code. A place of one's own is given up.",
    auth=AUTH_TO_JOIN,
    request=CodeSerializer,
    responses={
        201: OpenApiResponse(StandingSerializer, "Joined.", [example(EXAMPLE, status=201)]),
        200: OpenApiResponse(StandingSerializer, "Was in it already.", [example(EXAMPLE)]),
    }
    | refusals(
        *(*NO_LINE, errors.NoInvitation(), errors.PartyFull(), errors.TooLateForParty()),
        *(errors.DemotedAlone(), errors.PartyNeedsKey(), errors.LimitReached()),
        errors.ChallengeRequired(challenge=CHALLENGE),
        *(ANOTHER_LINE, BLOCKED),
        *(errors.TooManyMoves(), EmailNotConfirmed(), core.InvalidInput(), core.NotLoggedIn()),
        *(core.ForeignOrigin(), IdentityNotVerified(event=12), TooYoung(age=19)),
    ),
)
