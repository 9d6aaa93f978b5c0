"""What the OpenAPI document says about events and seats, with examples."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework import serializers

from ticketing.core import errors as core
from ticketing.core.api_schema import example, refusals
from ticketing.events.api.serializers import EventPageSerializer, WordsSerializer


class SeatListGrade(serializers.Serializer):
    code = serializers.CharField()
    name = WordsSerializer()
    price = serializers.IntegerField()
    colour = serializers.CharField()


class SeatListStanding(serializers.Serializer):
    grade = serializers.IntegerField(help_text="Position in `grades`.")
    left = serializers.IntegerField()
    total = serializers.IntegerField()


class StepsField(serializers.ListField):
    """The first number, then steps; a pair [step, times] is a step taken several times."""

    child = serializers.JSONField()


class SeatListRow(serializers.Serializer):
    row = serializers.CharField(allow_blank=True)
    ids = StepsField()
    numbers = StepsField()
    x = StepsField()
    y = StepsField()
    grades = StepsField(help_text="Positions in the list's `grades`.")
    accessible = serializers.ListField(child=serializers.IntegerField(), required=False)
    companion = serializers.ListField(child=serializers.IntegerField(), required=False)


class SeatListSection(serializers.Serializer):
    code = serializers.CharField()
    name = WordsSerializer()
    kind = serializers.ChoiceField(choices=["seated", "standing"])
    box = serializers.ListField(
        child=serializers.IntegerField(),
        min_length=4,
        max_length=4,
        help_text="x, y, width, height",
    )
    rows = SeatListRow(many=True)
    standing = SeatListStanding(many=True)


class SeatListDocument(serializers.Serializer):
    event = serializers.IntegerField()
    currency = serializers.CharField()
    grades = SeatListGrade(many=True)
    sections = SeatListSection(many=True)
    states = serializers.RegexField(r"^[ahsb]*$", help_text="One letter a seat.", allow_blank=True)


HOW_TO_READ_SEATS = """
All seats in one small answer. Ask again with `If-None-Match`: as long as nothing changed the
answer is 304 and has no body. A list may lack the changes of the last second.

**Steps.** Each list of numbers (`ids`, `numbers`, `x`, `y`, `grades` of a row) is its first number
followed by the steps to the next ones; a pair `[step, times]` is a step taken several times:
`[7, [1, 3], 10]` is 7, 8, 9, 10, 20.

**States.** `states` has one letter for every seat of every row, in the order of `sections`, their
`rows` and the seats in them: `a` available, `h` held, `s` sold, `b` held back.

**Flags.** `accessible` and `companion` list positions in the row, counted from 0; each is left out
where there are none. **Standing** sections have no rows, only counts by grade.
"""

NAME = {"ko": "R석", "en": "R seat"}
PLACE = {
    "venue": {
        "id": 1,
        "name": {"ko": "한강 아레나", "en": "Hangang Arena"},
        "address": {"ko": "서울 마포구", "en": "Mapo, Seoul"},
        "time_zone": "Asia/Seoul",
    },
    "organiser": {"id": 1, "name": {"ko": "달빛기획", "en": "Moonlight"}},
}
SUMMARY: dict[str, Any] = {
    "id": 7,
    "title": {"ko": "달빛 콘서트", "en": "Moonlight Concert"},
    "status": "on_sale",
    "on_sale_at": "2027-03-02T20:00:00+09:00",
    "doors_at": "2027-04-10T17:00:00+09:00",
    "starts_at": "2027-04-10T18:00:00+09:00",
    "ends_at": None,
    **PLACE,
    "currency": "KRW",
    "lowest_price": 154000,
    "poster": None,
    "links": {
        "self": "https://tickets.example/api/v1/events/7/",
        "seats": "https://tickets.example/api/v1/events/7/seats/",
        "page": "https://tickets.example/events/7/",
    },
}
GRADE = {"code": "R", "name": NAME, "price": 154000, "colour": "#3355dd"}
DETAIL = SUMMARY | {
    "description": {"ko": "봄밤의 공연.", "en": "A concert on a night in spring."},
    "grades": [GRADE | {"currency": "KRW", "left": 812, "total": 4000}],
}
PAGE = {"count": 1, "next": None, "previous": None, "results": [SUMMARY]}
SEAT_LIST = {
    "event": 7,
    "currency": "KRW",
    "grades": [GRADE],
    "sections": [
        {
            "code": "A",
            "name": {"ko": "가 구역", "en": "Section A"},
            "kind": "seated",
            "box": [0, 0, 80, 20],
            "rows": [
                {"row": "1", "ids": [101, [1, 3]], "numbers": [1, [1, 3]], "x": [20, [20, 3]]}
                | {"y": [20, [0, 3]], "grades": [0, [0, 3]], "accessible": [0], "companion": [1]}
            ],
            "standing": [],
        }
    ],
    "states": "aash",
}
BAD_PAGE = core.InvalidInput(
    fields={"page": [{"message": "A valid integer is required.", "code": "invalid"}]}
)


def one(serializer: Any) -> dict[int, Any]:
    return {200: serializer} | refusals(core.NotFound(), core.Unavailable())


INDEX: dict[str, Any] = {
    "operation_id": "index",
    "summary": "Where everything is",
    "tags": ["start"],
}
EVENTS: dict[str, Any] = {
    "operation_id": "list_events",
    "summary": "Events, the latest first",
    "tags": ["events"],
    "responses": {200: EventPageSerializer} | refusals(BAD_PAGE, core.Unavailable()),
    "examples": [example(PAGE)],
}
EVENT: dict[str, Any] = {
    "operation_id": "show_event",
    "summary": "One event with its prices and seats left",
    "tags": ["events"],
    "examples": [example(DETAIL)],
}
SEATS: dict[str, Any] = {
    "operation_id": "list_seats",
    "summary": "All seats of an event",
    "description": HOW_TO_READ_SEATS,
    "tags": ["events"],
    "parameters": [
        OpenApiParameter(
            "If-None-Match",
            str,
            OpenApiParameter.HEADER,
            description="The ETag of the last answer.",
        ),
        OpenApiParameter(
            "ETag",
            str,
            OpenApiParameter.HEADER,
            response=[200, 304],
            description="The version of the list; left out where it can't be kept.",
        ),
    ],
    "responses": one(SeatListDocument) | {304: OpenApiResponse(description="Nothing changed.")},
    "examples": [example(SEAT_LIST)],
}
