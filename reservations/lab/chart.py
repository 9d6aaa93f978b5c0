"""Draws the results: a panel per strategy, with a bar per buyer on a common time axis."""

from collections.abc import Iterator, Sequence
from math import ceil, floor, log10

from django.utils.translation import gettext as _

from reservations.lab import labels
from reservations.lab.config import RaceConfig
from reservations.lab.results import Attempt, Outcome, RaceResult
from reservations.lab.shapes import Box, Dot, Drawing, Shape, Text

WIDTH, MARGIN, HEAD, FOOT, GAP = 1080, 32, 112, 56, 20
BARS_LEFT = MARGIN + 316  # left edge of the bars
BARS_WIDTH = WIDTH - MARGIN - BARS_LEFT - 24
MIN_PANEL, MAX_PANEL, BAR = 104, 200, 5  # height of a panel, thickness of a bar

BACKGROUND, PANEL, LINE = "#ffffff", "#f6f7f9", "#dfe3e8"
INK, QUIET, GOOD, BAD = "#1b1f24", "#5b6470", "#0a7f4f", "#c2264b"
DUPLICATE = "duplicate"
COLOURS: dict[str, str] = {
    Outcome.BOUGHT: GOOD,
    DUPLICATE: BAD,
    Outcome.TAKEN: "#aab2bd",
    Outcome.BUSY: "#d9962b",
    Outcome.BROKEN: INK,
}


def race_chart(results: Sequence[RaceResult], config: RaceConfig) -> Drawing:
    longest = max(result.seconds for result in results)
    panel = panel_height(config.buyers)
    height = HEAD + len(results) * (panel + GAP) + FOOT
    shapes: list[Shape] = [Box(0, 0, WIDTH, height, BACKGROUND), *heading(config)]
    bottom = height - FOOT - GAP
    for place, result in enumerate(results):
        shapes += panel_shapes(result, HEAD + place * (panel + GAP), panel, BARS_WIDTH / longest)
    return Drawing(
        WIDTH, height, headline(config), description(results), [*shapes, *axis(longest, bottom)]
    )


def panel_height(buyers: int) -> float:
    return min(MAX_PANEL, max(MIN_PANEL, buyers * BAR + 16))


def headline(config: RaceConfig) -> str:
    return _("The race: %(what)s") % {"what": labels.title(config)}


def description(results: Sequence[RaceResult]) -> str:
    """The results as text, for screen readers."""
    return "; ".join(f"{labels.name(each)}: {labels.numbers(each)}" for each in results)


def heading(config: RaceConfig) -> Iterator[Shape]:
    yield Text(MARGIN, 46, headline(config), INK, 24, bold=True)
    yield Text(MARGIN, 72, _("Each bar is a buyer, from the start until the answer."), QUIET)
    x: float = BARS_LEFT
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


def panel_shapes(result: RaceResult, top: float, height: float, scale: float) -> Iterator[Shape]:
    yield Box(MARGIN, top, WIDTH - 2 * MARGIN, height, PANEL, 10)
    x, colour = MARGIN + 20, GOOD if result.one_owner_per_seat else BAD
    yield Text(x, top + 28, labels.name(result), INK, 16, bold=True)
    yield Text(x, top + 47, str(labels.DESCRIPTIONS[result.strategy]), QUIET, 12)
    yield Text(x, top + 71, labels.numbers(result), colour, 14, bold=True)
    yield Text(x, top + 90, labels.cost(result), QUIET, 12)
    yield from bars(result, top, height, scale)


def bars(result: RaceResult, top: float, height: float, scale: float) -> Iterator[Shape]:
    """In the order of the answers; the marks of buyers with a seat are drawn on top."""
    step = (height - 16) / len(result.attempts)
    answered = sorted(result.attempts, key=lambda attempt: attempt.ended)
    marks: list[Shape] = []
    for place, attempt in enumerate(answered):
        colour, y = COLOURS[outcome_kind(attempt, result)], top + 8 + place * step
        began = BARS_LEFT + (attempt.began - result.began) * scale
        ended = BARS_LEFT + (attempt.ended - result.began) * scale
        yield Box(began, y, max(1, ended - began), step * 0.7, colour, min(2, step * 0.3))
        if attempt.outcome is Outcome.BOUGHT:
            diamond = outcome_kind(attempt, result) == DUPLICATE
            marks.append(Dot(ended, y + step * 0.35, 5, colour, diamond))
    yield from marks


def outcome_kind(attempt: Attempt, result: RaceResult) -> str:
    first = result.owners.get(attempt.seat) == attempt.buyer
    return DUPLICATE if attempt.outcome is Outcome.BOUGHT and not first else attempt.outcome


def axis(longest: float, bottom: float) -> Iterator[Shape]:
    step = tidy_step(longest)
    yield Box(BARS_LEFT, bottom + 12, BARS_WIDTH, 1, LINE)
    for count in range(floor(longest / step) + 1):
        x = BARS_LEFT + count * step * BARS_WIDTH / longest
        yield Box(x, bottom + 8, 1, 8, LINE)
        yield Text(x + 4, bottom + 30, f"{count * step * 1000:,.0f} ms", QUIET, 12)


def tidy_step(longest: float) -> float:
    """1, 2 or 5 times a power of ten, for about five marks."""
    rough = longest / 5
    unit = 10 ** floor(log10(rough))
    return unit * next(factor for factor in (1, 2, 5, 10) if factor >= ceil(rough / unit * 10) / 10)
