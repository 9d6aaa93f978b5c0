"""Abstract art without text for events that have no poster; the same event gets the same art."""

from collections.abc import Callable, Iterator
from math import cos, pi, sin
from random import Random

WIDTH, HEIGHT = 800, 600

# Background, then the colours of the shapes, from the most muted to the brightest.
PALETTES = [
    ("#0f2f2a", "#1f6f5c", "#4fb08f", "#f3c26b", "#f26b4b"),
    ("#1c1b3a", "#3d3a8c", "#7a6ff0", "#f2a7c3", "#ffd98a"),
    ("#f2e3cf", "#e8b08a", "#d9694a", "#8c2f39", "#2b2d42"),
    ("#0d1b2a", "#1b4965", "#5fa8d3", "#cae9ff", "#ff7f51"),
    ("#e6efe9", "#a8cbb7", "#4d8b75", "#1d4d4f", "#e4572e"),
    ("#2a0f1e", "#6d1a36", "#c9304f", "#ff8c61", "#ffe0a3"),
    ("#eef0f7", "#b9c4e6", "#6c7fd8", "#2e3a8c", "#f4b942"),
    ("#14110f", "#4a3f35", "#b08968", "#e6ccb2", "#7fb7be"),
]


def poster_svg(seed: int) -> str:
    """The poster for this seed, as SVG."""
    rng = Random(f"poster {seed}")  # noqa: S311 - art, not a secret
    background, *colours = PALETTES[seed % len(PALETTES)]
    style = STYLES[seed * 3 % len(STYLES)]
    shapes = "".join(style(rng, colours))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'preserveAspectRatio="xMidYMid slice">'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{background}"/>{shapes}</svg>'
    )


def _arcs(rng: Random, colours: list[str]) -> Iterator[str]:
    """Concentric arcs, like rows around a stage."""
    x, y = rng.randint(250, 550), rng.choice([0, HEIGHT])
    for ring in range(9, 0, -1):
        colour = colours[(ring + rng.randint(0, 1)) % len(colours)]
        yield f'<circle cx="{x}" cy="{y}" r="{ring * 72}" fill="{colour}"/>'
    yield f'<circle cx="{x}" cy="{y}" r="44" fill="#fff" fill-opacity=".9"/>'


def _waves(rng: Random, colours: list[str]) -> Iterator[str]:
    """Layered waves."""
    for layer in range(7):
        y, swing = 90 + layer * 78, rng.randint(40, 110)
        half, colour = WIDTH // 2, colours[layer % len(colours)]
        yield (
            f'<path fill="{colour}" fill-opacity=".92" d="M0 {y}C{half // 2} {y - swing} '
            f"{half // 2} {y + swing} {half} {y}S{half + half // 2} {y - swing} {WIDTH} {y}"
            f'V{HEIGHT}H0Z"/>'
        )


def _rays(rng: Random, colours: list[str]) -> Iterator[str]:
    """Light rays from one point."""
    x, count = rng.randint(200, 600), 26
    for ray in range(count):
        start, end = (pi * (ray + part) / count for part in (0, rng.uniform(0.45, 0.95)))
        points = " ".join(f"{x + 1100 * cos(a):.0f},{1100 * sin(a) - 60:.0f}" for a in (start, end))
        yield f'<polygon points="{x},-60 {points}" fill="{rng.choice(colours[:3])}"/>'
    yield f'<circle cx="{x}" cy="430" r="{rng.randint(90, 150)}" fill="{colours[3]}"/>'


def _crowd(rng: Random, colours: list[str]) -> Iterator[str]:
    """Quarter and full circles on a grid, like heads in a crowd."""
    side = 100
    for column in range(WIDTH // side):
        for row in range(HEIGHT // side):
            x, y, colour = column * side, row * side, rng.choice(colours)
            corner_x, corner_y = x + rng.choice([0, side]), y + rng.choice([0, side])
            sweep = 1 if (corner_x == x) == (corner_y == y) else 0
            far_x, far_y = 2 * x + side - corner_x, 2 * y + side - corner_y
            if rng.random() < 0.3:
                yield f'<circle cx="{x + 50}" cy="{y + 50}" r="34" fill="{colour}"/>'
            else:
                yield (
                    f'<path fill="{colour}" d="M{corner_x} {corner_y}L{far_x} {corner_y}'
                    f'A{side} {side} 0 0 {sweep} {corner_x} {far_y}Z"/>'
                )


def _bars(rng: Random, colours: list[str]) -> Iterator[str]:
    """Bars of an equaliser."""
    step = 40
    for column in range(WIDTH // step):
        x, height = column * step + 6, int(90 + 420 * abs(sin(column / rng.uniform(2.2, 3.4))))
        yield (
            f'<rect x="{x}" y="{HEIGHT // 2 - height // 2}" width="28" height="{height}" rx="14" '
            f'fill="{colours[column * 7 // 3 % len(colours)]}"/>'
        )


STYLES: list[Callable[[Random, list[str]], Iterator[str]]] = [_arcs, _waves, _rays, _crowd, _bars]
