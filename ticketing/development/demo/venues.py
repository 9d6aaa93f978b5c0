"""The venues of the demo: an arena of about 10,000 seats, a hall of 300, a standing club."""

from dataclasses import dataclass

from ticketing.events.models import Section
from ticketing.events.services.plans import Block


@dataclass(frozen=True)
class DemoVenue:
    name: tuple[str, str]
    address: tuple[str, str]
    map_query: str  # a street or district: the venues are made up
    blocks: list[Block]


def tier(level: int, grades: str, *, rows: int, seats: int) -> list[Block]:
    """A ring of blocks side by side, one for each letter of `grades`."""
    return [
        Block(
            code=f"{level}{number:02}",
            name_ko=f"{level}층 {number}구역",
            name_en=f"Level {level}, block {number}",
            grade=grade,
            rows=rows,
            seats_per_row=seats,
            wheelchair_places=4 if level == 1 else 0,
            column=number,
            grid_row=level + 1,
        )
        for number, grade in enumerate(grades, start=1)
    ]


def floor() -> list[Block]:
    return [
        Block(
            code=f"F{number}",
            name_ko=f"플로어 {number}구역",
            name_en=f"Floor {number}",
            grade="VIP",
            rows=24,
            seats_per_row=26,
            aisles_after=(13,),
            column=number + 2,
        )
        for number in (1, 2, 3)
    ]


def stalls() -> list[Block]:
    """A small hall: fourteen seats in the middle, eight on either side."""
    sides = [
        ("L", "왼쪽", "Left", "S", 8),
        ("C", "가운데", "Centre", "R", 14),
        ("R", "오른쪽", "Right", "S", 8),
    ]
    return [
        Block(
            code=code,
            name_ko=korean,
            name_en=english,
            grade=grade,
            rows=10,
            seats_per_row=seats,
            row_labels="letters",
            curved=code == "C",
            wheelchair_places=2 if code == "C" else 0,
            column=column,
        )
        for column, (code, korean, english, grade, seats) in enumerate(sides, start=1)
    ]


VENUES = {
    "arena": DemoVenue(
        name=("한강 아레나", "Hangang Arena"),
        address=("서울 송파구 한강길 88", "88 Hangang-gil, Songpa-gu, Seoul"),
        map_query="송파구, 서울",
        blocks=[
            *floor(),
            *tier(1, "SSRRRSS", rows=20, seats=26),
            *tier(2, "BAAAAAB", rows=20, seats=32),
        ],
    ),
    "hall": DemoVenue(
        name=("정동 소극장", "Jeongdong Hall"),
        address=("서울 중구 정동길 12", "12 Jeongdong-gil, Jung-gu, Seoul"),
        map_query="정동길, 서울",
        blocks=stalls(),
    ),
    "room": DemoVenue(
        name=("서촌 작은 방", "Seochon Small Room"),
        address=("서울 종로구 자하문로 21", "21 Jahamun-ro, Jongno-gu, Seoul"),
        map_query="자하문로, 서울",
        blocks=[
            Block(code="A", name_ko="객석", name_en="Seats", grade="R", rows=3, seats_per_row=4)
        ],
    ),
    "club": DemoVenue(
        name=("홍대 스테이지", "Hongdae Stage"),
        address=("서울 마포구 와우산로 7", "7 Wausan-ro, Mapo-gu, Seoul"),
        map_query="와우산로, 서울",
        blocks=[
            Block(
                code="ST",
                name_ko="플로어",
                name_en="Floor",
                grade="ST",
                kind=Section.Kind.STANDING,
                capacity=1_200,
            ),
            Block(
                code="BAL",
                name_ko="발코니",
                name_en="Balcony",
                grade="R",
                rows=4,
                seats_per_row=24,
                grid_row=2,
            ),
        ],
    ),
}
