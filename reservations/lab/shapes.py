"""The shapes of a drawing. Sizes are in pixels, from the upper left corner."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Box:
    x: float
    y: float
    width: float
    height: float
    colour: str
    round: float = 0


@dataclass(frozen=True)
class Dot:
    """A circle, or a diamond for duplicates."""

    x: float
    y: float
    radius: float
    colour: str
    diamond: bool = False

    @property
    def corners(self) -> list[tuple[float, float]]:
        x, y, far = self.x, self.y, self.radius * 1.25
        return [(x, y - far), (x + far, y), (x, y + far), (x - far, y)]


@dataclass(frozen=True)
class Text:
    """`y` is the baseline."""

    x: float
    y: float
    text: str
    colour: str
    size: float = 13
    bold: bool = False


Shape = Box | Dot | Text


@dataclass(frozen=True)
class Drawing:
    width: float
    height: float
    title: str
    description: str
    shapes: Sequence[Shape]
