"""The events of the demo; times are relative to the moment of creation."""

from dataclasses import dataclass
from datetime import timedelta

from ticketing.events.models import Event

State = Event.State


@dataclass(frozen=True)
class DemoEvent:
    title: tuple[str, str]
    description: tuple[str, str]
    venue: str
    organiser: str
    prices: dict[str, int]
    starts_in: timedelta
    on_sale_in: timedelta
    state: Event.State
    held_back: str = ""  # section whose first row is held back for the production


ORGANISERS = {
    "moon": (("달빛기획", "Moonlight Live"), "hello@moonlight.example"),
    "stage": (("정동예술단", "Jeongdong Players"), "office@jeongdong.example"),
    "wave": (("파도소리", "Wave Sounds"), "crew@wave.example"),
}

EVENTS = [
    DemoEvent(
        title=("루나 월드투어: 서울의 밤", "LUNA World Tour: Seoul Nights"),
        description=(
            "세 번의 매진 이후 돌아온 루나의 월드투어. 새 앨범 전곡과 함께, 360도 무대에서 "
            "펼쳐지는 두 시간 반의 공연을 만나보세요.\n\n"
            "7세 이상 관람가. 1인 4매까지 예매할 수 있습니다.",
            "After three sold-out tours LUNA comes home: the whole new album and two and a half "
            "hours on a stage in the round.\n\nAges 7 and over. Up to four tickets per person.",
        ),
        venue="arena",
        organiser="moon",
        prices={"VIP": 198_000, "R": 176_000, "S": 154_000, "A": 132_000, "B": 99_000},
        starts_in=timedelta(days=40),
        on_sale_in=timedelta(minutes=-30),
        state=State.ON_SALE,
        held_back="F2",
    ),
    DemoEvent(
        title=("창작 뮤지컬 〈종이별〉", "Paper Stars, a new musical"),
        description=(
            "밤하늘을 접는 소녀와 별을 잃어버린 천문학자의 이야기. 라이브 5인조 밴드와 "
            "함께합니다.\n\n공연 시간 110분, 중간 휴식 없음.",
            "A girl who folds the night sky and an astronomer who has lost his stars. With a live "
            "band of five.\n\n110 minutes, no interval.",
        ),
        venue="hall",
        organiser="stage",
        prices={"R": 77_000, "S": 55_000},
        starts_in=timedelta(days=12),
        on_sale_in=timedelta(minutes=5),
        state=State.ANNOUNCED,
    ),
    DemoEvent(
        title=("파도소리 스탠딩 나이트", "Wave Sounds Standing Night"),
        description=(
            "인디 밴드 네 팀이 밤새 이어가는 스탠딩 공연. 발코니 좌석은 한정 수량입니다.",
            "Four indie bands, one long night on your feet. A few seats on the balcony.",
        ),
        venue="club",
        organiser="wave",
        prices={"ST": 66_000, "R": 88_000},
        starts_in=timedelta(days=20),
        on_sale_in=timedelta(hours=-3),
        state=State.ON_SALE,
    ),
    DemoEvent(
        title=("겨울의 실내악", "Chamber Music for Winter"),
        description=(
            "슈베르트의 현악 오중주와 브람스의 클라리넷 오중주. 공연 전 해설이 있습니다.",
            "Schubert's string quintet and Brahms' clarinet quintet, with a talk before the "
            "concert.",
        ),
        venue="hall",
        organiser="stage",
        prices={"R": 60_000, "S": 40_000},
        starts_in=timedelta(days=55),
        on_sale_in=timedelta(days=3),
        state=State.ANNOUNCED,
    ),
    DemoEvent(
        title=("새벽 네 시 라디오 공개방송", "4 a.m. Radio, live on stage"),
        description=(
            "심야 라디오가 무대로 나옵니다. 음향 점검으로 예매가 잠시 멈춰 있습니다.",
            "The night programme comes to the stage. The sale is paused for a moment.",
        ),
        venue="club",
        organiser="wave",
        prices={"ST": 33_000, "R": 44_000},
        starts_in=timedelta(days=9),
        on_sale_in=timedelta(days=-2),
        state=State.PAUSED,
    ),
    DemoEvent(
        title=("루나 팬미팅 (준비 중)", "LUNA fan meeting (in preparation)"),
        description=("아직 공개되지 않았습니다.", "Not announced yet."),
        venue="hall",
        organiser="moon",
        prices={"R": 99_000, "S": 88_000},
        starts_in=timedelta(days=80),
        on_sale_in=timedelta(days=30),
        state=State.DRAFT,
    ),
]
