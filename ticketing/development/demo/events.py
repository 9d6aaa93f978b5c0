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
    poster: str
    running_minutes: int | None = None
    admission_age: int | None = None
    entry_numbers: str = Event.EntryNumbers.NONE
    cast: tuple[str, str] = ("", "")
    notices: tuple[str, str] = ("", "")
    held_back: str = ""  # section whose first row is held back for the production
    sells_out: bool = False  # the demo's fans buy every seat
    admit_per_second: float = 10
    waiting_page: str = ""  # a waiting page of its own, by its name in the list of them
    mode: str = ""  # of the line; empty: as usual
    presale_codes: tuple[str, ...] = ()  # a lane of its own, before the open sale


ORGANISERS = {
    "moon": (("달빛기획", "Moonlight Live"), "hello@moonlight.example"),
    "stage": (("정동예술단", "Jeongdong Players"), "office@jeongdong.example"),
    "wave": (("파도소리", "Wave Sounds"), "crew@wave.example"),
}

# Public: the event page shows them.
PRESALE_CODES = ("GLASS-GARDEN-1", "GLASS-GARDEN-2", "GLASS-GARDEN-3")
# So long after the creation of the demo the sale of which they are the codes is open to everybody.
OPEN_SALE_IN = timedelta(minutes=30)

EVENTS = [
    DemoEvent(
        title=("루나 월드투어: 서울의 밤", "LUNA World Tour: Seoul Nights"),
        description=(
            "세 번의 매진 이후 돌아온 루나의 월드투어. 새 앨범 전곡과 함께, 대형 무대에서 "
            "펼쳐지는 두 시간 반의 공연을 만나보세요.",
            "After three sold-out tours LUNA comes home: the whole new album and two and a half "
            "hours on her biggest stage yet.",
        ),
        poster="stage",
        running_minutes=150,
        admission_age=7,
        cast=("루나, 밴드 문라이즈", "LUNA with the Moonrise band"),
        notices=(
            "1인 4매까지 예매할 수 있습니다.\n공연장 안에서는 촬영과 녹음이 금지됩니다.",
            "Up to four tickets per person.\nNo filming or recording in the arena.",
        ),
        venue="arena",
        organiser="moon",
        prices={"VIP": 198_000, "R": 176_000, "S": 154_000, "A": 132_000, "B": 99_000},
        starts_in=timedelta(days=40),
        on_sale_in=timedelta(minutes=-30),
        state=State.ON_SALE,
        held_back="F2",
        admit_per_second=40,
        waiting_page="luna",
    ),
    DemoEvent(
        title=("창작 뮤지컬 〈종이별〉", "Paper Stars, a new musical"),
        description=(
            "밤하늘을 접는 소녀와 별을 잃어버린 천문학자의 이야기. 라이브 5인조 밴드와 함께합니다.",
            "A girl who folds the night sky and an astronomer who has lost his stars. With a live "
            "band of five.",
        ),
        poster="stars",
        running_minutes=110,
        admission_age=7,
        cast=(
            "소녀 – 한서윤\n천문학자 – 오정민\n별지기 – 김다온",
            "The girl – Han Seoyun\nThe astronomer – Oh Jeongmin\nThe keeper – Kim Daon",
        ),
        notices=(
            "중간 휴식이 없습니다. 늦게 오시면 2막부터 입장하실 수 있습니다.",
            "No interval. Latecomers are admitted before the second act.",
        ),
        venue="hall",
        organiser="stage",
        prices={"R": 77_000, "S": 55_000},
        starts_in=timedelta(days=12),
        on_sale_in=timedelta(minutes=5),
        state=State.ANNOUNCED,
        waiting_page="stars",
    ),
    DemoEvent(
        title=("파도소리 스탠딩 나이트", "Wave Sounds Standing Night"),
        description=(
            "인디 밴드 네 팀이 밤새 이어가는 스탠딩 공연. 발코니 좌석은 한정 수량입니다.",
            "Four indie bands, one long night on your feet. A few seats on the balcony.",
        ),
        poster="wave",
        running_minutes=300,
        admission_age=19,
        entry_numbers=Event.EntryNumbers.SALE,
        cast=(
            "파도상회, 오후 네 시, 민트다방, 골목길",
            "Pado Trading, Four p.m., Mint Dabang, Alleyway",
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
        poster="strings",
        running_minutes=95,
        admission_age=7,
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
        poster="radio",
        running_minutes=120,
        venue="club",
        organiser="wave",
        prices={"ST": 33_000, "R": 44_000},
        starts_in=timedelta(days=9),
        on_sale_in=timedelta(days=-2),
        state=State.PAUSED,
    ),
    DemoEvent(
        title=("작은 방 낭독회", "A Reading in a Small Room"),
        description=(
            "소설가 셋이 새 단편을 읽습니다. 전석 매진, 취소표는 대기 명단 순서대로 드립니다.",
            "Three novelists read new stories. Sold out; returned seats go to the standby list.",
        ),
        poster="books",
        running_minutes=80,
        venue="room",
        organiser="stage",
        prices={"R": 30_000},
        starts_in=timedelta(days=16),
        on_sale_in=timedelta(days=-1),
        state=State.ON_SALE,
        sells_out=True,
    ),
    DemoEvent(
        title=("루나 팬미팅 (준비 중)", "LUNA fan meeting (in preparation)"),
        description=("아직 공개되지 않았습니다.", "Not announced yet."),
        poster="stage",
        venue="hall",
        organiser="moon",
        prices={"R": 99_000, "S": 88_000},
        starts_in=timedelta(days=80),
        on_sale_in=timedelta(days=30),
        state=State.DRAFT,
    ),
    DemoEvent(
        title=("유리정원 앙코르 콘서트", "Glass Garden: the encore"),
        description=(
            "지금은 팬클럽 선예매 기간이고, 30분 뒤에 일반 예매가 시작됩니다.\n\n"
            "데모용 선예매 코드 (한 사람에 하나):\n" + "\n".join(PRESALE_CODES),
            "The fan-club presale is on; the open sale starts half an hour later.\n\n"
            "Presale codes of the demo, one for each person:\n" + "\n".join(PRESALE_CODES),
        ),
        poster="leaves",
        running_minutes=120,
        venue="hall",
        organiser="moon",
        prices={"R": 88_000, "S": 66_000},
        starts_in=timedelta(days=33),
        on_sale_in=timedelta(minutes=-10),
        state=State.ON_SALE,
        presale_codes=PRESALE_CODES,
    ),
    DemoEvent(
        title=("한강 별밤 영화제", "Starlight Film Night"),
        description=(
            "매분 도착한 분들의 순서를 추첨으로 정합니다. 서둘러 누르지 않아도 됩니다. "
            "친구와 함께 대기하려면 대기 화면에서 초대 코드를 만드세요.",
            "Whoever comes within the same minute is put in order by lot, so there is no need to "
            "hurry. To wait with friends, get an invitation code on the waiting page.",
        ),
        poster="screen",
        running_minutes=140,
        venue="club",
        organiser="wave",
        prices={"ST": 15_000, "R": 25_000},
        starts_in=timedelta(days=25),
        on_sale_in=timedelta(minutes=-10),
        state=State.ON_SALE,
        mode="minute_draw",
    ),
]
