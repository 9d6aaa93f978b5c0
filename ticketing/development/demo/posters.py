"""Posters of the demo's events: a motif, the title, when and where."""

import io
import math
from collections.abc import Callable
from random import Random

from django.conf import settings
from PIL import Image, ImageDraw, ImageFilter, ImageFont

SIZE = WIDTH, HEIGHT = 1200, 900
FONTS = settings.BASE_DIR / "reservations" / "tickets" / "fonts"
MARGIN, BOTTOM = 80, 150  # pages show the middle of a poster: words stay away from the edges
WHITE = (255, 255, 255)
COVERS = ((158, 62, 52), (46, 84, 92), (206, 164, 92), (88, 66, 96), (226, 214, 190))
Colour = tuple[int, int, int]
Draw = ImageDraw.ImageDraw


def poster(style: str, title: str, lines: tuple[str, ...]) -> bytes:
    """A WebP of 800 by 600 pixels, drawn half as large again so that edges are smooth."""
    top, bottom, motif = STYLES[style]
    image = _gradient(top, bottom)
    motif(image, Random(style))  # noqa: S311 - the same picture each time
    image.paste(Image.eval(image, lambda value: value // 4), (0, 0), _shade_mask())
    _write(ImageDraw.Draw(image), title, lines)
    file = io.BytesIO()
    image.resize((800, 600), Image.Resampling.LANCZOS).save(file, "WEBP", quality=82)
    return file.getvalue()


def _gradient(top: Colour, bottom: Colour) -> Image.Image:
    column = Image.new("RGB", (1, HEIGHT))
    for y in range(HEIGHT):
        share = y / HEIGHT
        colour = tuple(round(a + (b - a) * share) for a, b in zip(top, bottom, strict=True))
        column.putpixel((0, y), colour)
    return column.resize(SIZE)


def _shade_mask() -> Image.Image:
    """Dark towards the bottom, where the words are."""
    column = Image.new("L", (1, HEIGHT))
    for y in range(HEIGHT):
        column.putpixel((0, y), max(0, min(235, (y - HEIGHT // 3) * 235 // (HEIGHT // 2))))
    return column.resize(SIZE)


def _write(draw: Draw, title: str, lines: tuple[str, ...]) -> None:
    small, y = _font("Regular", 34), HEIGHT - BOTTOM - 48 * len(lines)
    for number, line in enumerate(lines):
        draw.text((MARGIN, y + 48 * number), line, WHITE, small)
    size = 96
    while (bold := _font("Bold", size)).getlength(title) > WIDTH - 2 * MARGIN:
        size -= 4
    draw.text((MARGIN, y - 40), title, WHITE, bold, anchor="ls")


def _font(weight: str, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(FONTS / f"Pretendard-{weight}.ttf", size)


# -- motifs ---------------------------------------------------------------------------------------


def _glow(image: Image.Image, paint: Callable[[Draw], None], blur: int) -> None:
    """Light of what `paint` draws in white, added to the picture."""
    light = Image.new("L", SIZE)
    paint(ImageDraw.Draw(light))
    image.paste(WHITE, (0, 0), light.filter(ImageFilter.GaussianBlur(blur)))


def _stage(image: Image.Image, random: Random) -> None:
    """Beams over a stage, and a crowd with raised hands."""

    def beams(draw: Draw) -> None:
        for number in range(9):
            x = WIDTH * (number + 0.5) / 9
            foot = WIDTH / 2 + (x - WIDTH / 2) * random.uniform(-0.6, 0.6)
            draw.polygon([(x - 4, 0), (x + 4, 0), (foot + 90, 560), (foot - 90, 560)], 74)

    _glow(image, beams, 12)
    draw = ImageDraw.Draw(image)
    draw.ellipse((WIDTH / 2 - 330, 500, WIDTH / 2 + 330, 600), (255, 236, 250))
    for _ in range(170):
        x, y = random.uniform(0, WIDTH), random.uniform(590, 720)
        draw.ellipse((x - 22, y, x + 22, y + 44), (24, 8, 44))
        draw.line(
            (x + 16, y + 30, x + random.uniform(20, 46), y - random.uniform(16, 60)),
            (24, 8, 44),
            10,
        )


def _stars(image: Image.Image, random: Random) -> None:
    draw = ImageDraw.Draw(image)
    for _ in range(260):
        x, y, size = random.uniform(0, WIDTH), random.uniform(0, 700), random.uniform(1, 2.6)
        draw.ellipse((x - size, y - size, x + size, y + size), (214, 222, 255))


def _paper_stars(image: Image.Image, random: Random) -> None:
    """A night full of folded stars."""
    _stars(image, random)
    for x, y, size in ((880, 250, 170), (560, 170, 80), (300, 330, 110), (1060, 480, 60)):
        _folded_star(ImageDraw.Draw(image), x, y, size, random.uniform(0, 1))


def _folded_star(draw: Draw, x: float, y: float, size: float, turn: float) -> None:
    def corner(number: int) -> tuple[float, float]:
        length = size if number % 2 == 0 else size * 0.45
        angle = turn + number * math.pi / 5
        return x + length * math.sin(angle), y - length * math.cos(angle)

    for number in range(10):
        colour = (255, 214, 102) if number % 2 else (232, 170, 58)
        draw.polygon([(x, y), corner(number), corner(number + 1)], colour)


def _sound_wave(image: Image.Image, random: Random) -> None:
    """The bars of a loud night."""
    draw = ImageDraw.Draw(image)
    for number in range(40):
        x = number * 30 + 4
        height = 60 + 380 * abs(math.sin(number / 4.2)) * random.uniform(0.5, 1)
        shade = round(90 + 165 * number / 40)
        draw.rounded_rectangle(
            (x, 400 - height / 2, x + 20, 400 + height / 2), 10, (255, shade, 140)
        )


def _strings(image: Image.Image, random: Random) -> None:
    """The strings and the bridge of a cello, under snow."""
    draw = ImageDraw.Draw(image)
    draw.ellipse((560, -420, 1500, 1180), (122, 58, 28))
    draw.ellipse((620, -360, 1440, 1120), (150, 76, 38))
    for number in range(4):
        top = 900 + 46 * number
        draw.line((top, 0, top - 18, HEIGHT), (244, 226, 190), 4)
    draw.rounded_rectangle((860, 380, 1080, 410), 14, (226, 190, 132))
    for _ in range(170):
        x, y, size = random.uniform(0, WIDTH), random.uniform(0, HEIGHT), random.uniform(1.5, 5)
        draw.ellipse((x - size, y - size, x + size, y + size), (250, 250, 255))


def _radio(image: Image.Image, random: Random) -> None:
    """The lit scale of a radio."""
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle((90, 150, WIDTH - 90, 470), 36, (250, 214, 150))
    for number in range(61):
        x, height = 140 + number * 15.3, 70 if number % 10 == 0 else 36
        draw.line((x, 230, x, 230 + height), (92, 52, 20), 4)
    for number in range(7):
        draw.text(
            (140 + number * 153, 340),
            str(88 + 3 * number),
            (92, 52, 20),
            _font("Bold", 40),
            anchor="ma",
        )
    draw.line((690, 180, 690, 440), (214, 48, 38), 8)


def _books(image: Image.Image, random: Random) -> None:
    """A shelf and a lamp."""
    draw = ImageDraw.Draw(image)
    x = 60.0
    while x < WIDTH - 120:
        width, height = random.uniform(34, 74), random.uniform(260, 400)
        colour = random.choice(
            [(158, 62, 52), (46, 84, 92), (206, 164, 92), (88, 66, 96), (226, 214, 190)]
        )
        draw.rectangle((x, 560 - height, x + width, 560), colour)
        draw.line((x + 8, 600 - height, x + width - 8, 600 - height), (250, 240, 220), 4)
        x += width + 5
    draw.rectangle((0, 560, WIDTH, 584), (70, 42, 26))


def _leaves(image: Image.Image, random: Random) -> None:
    """Leaves of coloured glass."""
    for _ in range(46):
        leaf = Image.new("RGBA", (240, 240))
        colour = random.choice([(132, 214, 172), (244, 214, 120), (236, 140, 150), (160, 200, 240)])
        ImageDraw.Draw(leaf).ellipse((20, 80, 220, 160), (*colour, 120), (255, 255, 255, 170), 3)
        leaf = leaf.rotate(random.uniform(0, 360), resample=Image.Resampling.BICUBIC)
        image.paste(leaf, (random.randint(-100, WIDTH), random.randint(-100, 560)), leaf)


def _screen(image: Image.Image, random: Random) -> None:
    """A screen by the river at night."""
    _stars(image, random)
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle((300, 150, 900, 490), 10, (244, 240, 224))
    draw.ellipse((520, 230, 680, 390), (46, 60, 96))
    draw.polygon([(575, 270), (575, 350), (645, 310)], (244, 240, 224))
    for x in (360, 840):
        draw.line((x, 490, x, 600), (20, 24, 40), 12)
    draw.rectangle((0, 600, WIDTH, 606), (120, 140, 190))


STYLES: dict[str, tuple[Colour, Colour, Callable[[Image.Image, Random], None]]] = {
    "stage": ((36, 6, 76), (214, 44, 148), _stage),
    "stars": ((10, 14, 56), (46, 60, 130), _paper_stars),
    "wave": ((8, 42, 64), (14, 116, 144), _sound_wave),
    "strings": ((52, 66, 92), (150, 168, 190), _strings),
    "radio": ((34, 22, 16), (120, 62, 30), _radio),
    "leaves": ((16, 60, 52), (30, 110, 84), _leaves),
    "screen": ((8, 10, 30), (40, 52, 110), _screen),
    "books": ((108, 84, 60), (188, 150, 104), _books),
}
