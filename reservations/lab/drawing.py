"""The results as a picture: for each strategy a bar for each buyer, on one common time."""

from collections.abc import Iterator, Sequence
from math import ceil, floor, log10

from django.utils.translation import gettext as _

from reservations.lab import words
from reservations.lab.results import Attempt, Outcome, Result
from reservations.lab.shapes import Box, Dot, Picture, Shape, Text
from reservations.lab.terms import Terms

WIDTH, MARGIN, HEAD, FOOT, GAP = 1080, 32, 112, 56, 20
TIMES = MARGIN + 316  # where the bars begin
LENGTH = WIDTH - MARGIN - TIMES - 24
LEAST, MOST, THICK = 104, 200, 5  # height of a panel, thickness of a bar

PAPER, PANEL, LINE = "#ffffff", "#f6f7f9", "#dfe3e8"
INK, QUIET, GOOD, BAD = "#1b1f24", "#5b6470", "#0a7f4f", "#c2264b"
DUPLICATE = "duplicate"
COLOURS: dict[str, str] = {
    Outcome.BOUGHT: GOOD,
    DUPLICATE: BAD,
    Outcome.TAKEN: "#aab2bd",
    Outcome.BUSY: "#d9962b",
    Outcome.BROKEN: INK,
}


def picture(results: Sequence[Result], terms: Terms) -> Picture:
    longest = max(result.seconds for result in results)
    panel = panel_height(terms.buyers)
    height = HEAD + len(results) * (panel + GAP) + FOOT
    shapes: list[Shape] = [Box(0, 0, WIDTH, height, PAPER), *heading(terms)]
    bottom = height - FOOT - GAP
    for place, result in enumerate(results):
        shapes += drawn_panel(result, HEAD + place * (panel + GAP), panel, LENGTH / longest)
    return Picture(WIDTH, height, headline(terms), told(results), [*shapes, *axis(longest, bottom)])


def panel_height(buyers: int) -> float:
    return min(MOST, max(LEAST, buyers * THICK + 16))


def headline(terms: Terms) -> str:
    return _("The race: %(what)s") % {"what": words.title(terms)}


def told(results: Sequence[Result]) -> str:
    """The same for those who don't see it."""
    return "; ".join(f"{words.name(each)}: {words.numbers(each)}" for each in results)


def heading(terms: Terms) -> Iterator[Shape]:
    yield Text(MARGIN, 46, headline(terms), INK, 24, bold=True)
    yield Text(MARGIN, 72, _("Each bar is a buyer, from the start until the answer."), QUIET)
    x: float = TIMES
    for kind, label in legend():
        yield Box(x, 87, 22, 6, COLOURS[kind], 3)
        if kind in (Outcome.BOUGHT, DUPLICATE):
            yield Dot(x + 22, 90, 5, COLOURS[kind], diamond=kind == DUPLICATE)
        yield Text(x + 34, 94, label, QUIET, 12)
        x += 184


def legend() -> list[tuple[str, str]]:
    return [
        (Outcome.BOUGHT, _("got the seat")),
        (DUPLICATE, _("got it, too: a duplicate")),
        (Outcome.TAKEN, _("was told: taken")),
        (Outcome.BUSY, _("was told: busy")),
    ]


def drawn_panel(result: Result, top: float, height: float, scale: float) -> Iterator[Shape]:
    yield Box(MARGIN, top, WIDTH - 2 * MARGIN, height, PANEL, 10)
    x, colour = MARGIN + 20, GOOD if result.one_owner_per_seat else BAD
    yield Text(x, top + 28, words.name(result), INK, 16, bold=True)
    yield Text(x, top + 47, str(words.SENTENCES[result.strategy]), QUIET, 12)
    yield Text(x, top + 71, words.numbers(result), colour, 14, bold=True)
    yield Text(x, top + 90, words.cost(result), QUIET, 12)
    yield from bars(result, top, height, scale)


def bars(result: Result, top: float, height: float, scale: float) -> Iterator[Shape]:
    """In the order of the answers; those who got a seat are drawn last, over the others."""
    step = (height - 16) / len(result.attempts)
    answered = sorted(result.attempts, key=lambda attempt: attempt.ended)
    marks: list[Shape] = []
    for place, attempt in enumerate(answered):
        colour, y = COLOURS[kind_of(attempt, result)], top + 8 + place * step
        began = TIMES + (attempt.began - result.began) * scale
        ended = TIMES + (attempt.ended - result.began) * scale
        yield Box(began, y, max(1, ended - began), step * 0.7, colour, min(2, step * 0.3))
        if attempt.outcome is Outcome.BOUGHT:
            diamond = kind_of(attempt, result) == DUPLICATE
            marks.append(Dot(ended, y + step * 0.35, 5, colour, diamond))
    yield from marks


def kind_of(attempt: Attempt, result: Result) -> str:
    first = result.owners.get(attempt.seat) == attempt.buyer
    return DUPLICATE if attempt.outcome is Outcome.BOUGHT and not first else attempt.outcome


def axis(longest: float, bottom: float) -> Iterator[Shape]:
    step = tidy_step(longest)
    yield Box(TIMES, bottom + 12, LENGTH, 1, LINE)
    for count in range(floor(longest / step) + 1):
        x = TIMES + count * step * LENGTH / longest
        yield Box(x, bottom + 8, 1, 8, LINE)
        yield Text(x + 4, bottom + 30, f"{count * step * 1000:,.0f} ms", QUIET, 12)


def tidy_step(longest: float) -> float:
    """1, 2 or 5 of something, so that there are five marks or so."""
    rough = longest / 5
    unit = 10 ** floor(log10(rough))
    return unit * next(factor for factor in (1, 2, 5, 10) if factor >= ceil(rough / unit * 10) / 10)
