"""The demo's own waiting pages: two events have texts, colours, hints and a picture."""

from dataclasses import dataclass
from datetime import datetime
from io import BytesIO

from django.core.files.base import ContentFile
from PIL import Image, ImageDraw

from ticketing.accounts.models import User
from waiting_queue import services
from waiting_queue.models import WaitingPage, WaitingPageHint, WaitingPageLink

Texts = tuple[str, str]  # Korean, English
WIDTH, HEIGHT = 1200, 400


@dataclass(frozen=True)
class DemoPage:
    headline: Texts
    text: Texts
    picture_text: Texts
    picture: tuple[str, ...]  # colours: of the sky, then of what is in it
    accent: tuple[str, str]  # light, dark
    background: tuple[str, str]
    hints: list[tuple[Texts, Texts]]
    links: list[tuple[Texts, str]]


PAGES = {
    "luna": DemoPage(
        headline=("루나가 서울로 돌아옵니다", "LUNA is coming home to Seoul"),
        text=(
            "기다려 주셔서 감사합니다. 순서가 되면 이 화면에서 바로 알려 드립니다.\n\n"
            "어느 구역에서도 무대가 가려지지 않습니다.",
            "Thank you for waiting. This page tells you as soon as it is your turn.\n\n"
            "Every section has a clear view of the stage.",
        ),
        picture_text=("보랏빛 밤하늘에 뜬 달", "The moon in a violet night sky"),
        picture=("#1c1b3a", "#3d3a8c", "#7a6ff0", "#f2a7c3", "#ffd98a"),
        accent=("#6d28d9", "#c4b5fd"),
        background=("#f7f3ff", "#120d1f"),
        hints=[
            (
                ("응원봉 연동", "Light sticks"),
                (
                    "공연 당일 좌석 번호로 응원봉을 연동할 수 있습니다. 배터리를 꼭 확인해 주세요.",
                    "Pair your light stick with your seat number on the day. Check its batteries.",
                ),
            ),
            (
                ("대중교통", "Getting there"),
                (
                    "주차 공간이 부족합니다. 지하철을 이용해 주세요.",
                    "There is little parking. Please come by underground.",
                ),
            ),
        ],
        links=[
            (("공연 안내", "About the show"), "https://luna.example/seoul"),
            (("오시는 길", "Directions"), "https://arena.example/directions"),
        ],
    ),
    "stars": DemoPage(
        headline=("별을 접는 밤, 〈종이별〉", "A night of folded stars"),
        text=(
            "공연 시작 후에는 입장이 제한됩니다. 여유 있게 도착해 주세요.",
            "Latecomers can't be seated once the show has begun. Please come early.",
        ),
        picture_text=("", ""),
        picture=("#2b2d42", "#8c2f39", "#d9694a", "#e8b08a", "#f2e3cf"),
        accent=("#9a3412", "#fdba74"),
        background=("", ""),
        hints=[
            (
                ("관람 연령", "Age"),
                ("초등학생 이상 관람할 수 있습니다.", "For ages 7 and over."),
            ),
        ],
        links=[(("넘버 미리 듣기", "Listen to the songs"), "https://stars.example/songs")],
    ),
}


def create_page(event_id: int, spec: DemoPage, operator: User, now: datetime) -> None:
    page = WaitingPage(queue_id=event_id)
    for name in ("headline", "text", "picture_text"):
        setattr(page, f"{name}_ko", getattr(spec, name)[0])
        setattr(page, f"{name}_en", getattr(spec, name)[1])
    for name in ("accent", "background"):
        setattr(page, f"{name}_light", getattr(spec, name)[0])
        setattr(page, f"{name}_dark", getattr(spec, name)[1])
    page.picture.save("demo.webp", picture(spec.picture), save=False)
    page.save(force_insert=True)
    for order, (title, text) in enumerate(spec.hints):
        fields = {"title_ko": title[0], "title_en": title[1]}
        fields |= {"text_ko": text[0], "text_en": text[1]}
        WaitingPageHint.objects.create(page=page, order=order, **fields)
    for order, (label, url) in enumerate(spec.links):
        WaitingPageLink.objects.create(
            page=page, order=order, label_ko=label[0], label_en=label[1], url=url
        )
    services.publish_page(event_id=event_id, by=operator, now=now)


def picture(colours: tuple[str, ...]) -> ContentFile:
    """Circles around one middle, like a moon and its light."""
    image = Image.new("RGB", (WIDTH, HEIGHT), colours[0])
    draw, middle = ImageDraw.Draw(image), (WIDTH * 3 // 4, HEIGHT // 2)
    for colour, radius in zip(colours[1:], (420, 280, 170, 90), strict=True):
        draw.circle(middle, radius, fill=colour)
    content = BytesIO()
    image.save(content, "WEBP", quality=82)
    return ContentFile(content.getvalue())
