"""What the OpenAPI document says about standby lists, with examples."""

from typing import Any

from drf_spectacular.utils import OpenApiRequest

from reservations import errors
from reservations.api.documents import CHANGES, MINE, call
from reservations.api.standby_serializers import StandbySerializer, StandbyWishSerializer
from ticketing.accounts.errors import EmailNotConfirmed, IdentityNotVerified, TooYoung
from ticketing.core import errors as core
from ticketing.core.api_schema import example, refusals
from waiting_queue import errors as queue

WAITING: dict[str, Any] = {
    "event": 7,
    "state": "WAITING",
    "place": 3,
    "quantity": 2,
    "grade": "",
    "created_at": "2027-03-02T20:31:40.250000+09:00",
    "reservation": None,
    "deadline": None,
    "server_time": "2027-03-02T20:31:40.250000+09:00",
}
OFFERED = WAITING | {
    "state": "OFFERED",
    "place": None,
    "reservation": "K7QF2M9XTP",
    "deadline": "2027-03-02T20:58:02.110000+09:00",
    "server_time": "2027-03-02T20:43:02.110000+09:00",
}
SHOW = call(
    "show_standby",
    "My place on the standby list",
    "The latest, also one that is over: WAITING, OFFERED, then TAKEN, MISSED or LEFT.",
    responses={200: StandbySerializer} | refusals(errors.NotOnStandby(), *MINE),
    examples=[example(OFFERED)],
)
JOIN = call(
    "join_standby",
    "Join the standby list, or ask for fewer seats",
    "For a sold-out event whose returned seats go to a list. Whoever was in line when it sold out "
    "keeps that order; all others follow by arrival. Twice is fine; fewer seats keep the place.",
    request=OpenApiRequest(StandbyWishSerializer),
    responses={200: StandbySerializer}
    | refusals(
        core.InvalidInput(),
        core.NotFound(),
        errors.NotSoldOut(),
        errors.StandbyClosed(),
        errors.OnlyFewerSeats(),
        errors.TooManySeats(limit=4, left=1),
        queue.Blocked(why=""),
        *(EmailNotConfirmed(), IdentityNotVerified(event=7), TooYoung(age=19)),
        queue.QueueUnavailable(),
        *CHANGES,
    ),
    examples=[example(WAITING)],
)
LEAVE = call(
    "leave_standby",
    "Leave the standby list",
    "Seats that are offered go to the next. Twice is fine. Not while they are being paid for.",
    responses={200: StandbySerializer}
    | refusals(
        errors.NotOnStandby(), core.IllegalMove(before="being paid", after="given back"), *CHANGES
    ),
    examples=[example(WAITING | {"state": "LEFT", "place": None})],
)
