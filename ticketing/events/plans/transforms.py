"""The transforms of SVG: translate, scale, rotate and matrix."""

import re
from dataclasses import dataclass
from math import cos, isfinite, radians, sin

_NUMBER = re.compile(r"[+-]?(\d{1,12}(\.\d{0,12})?|\.\d{1,12})([eE][+-]?\d{1,2})?(px)?")
_CALL = re.compile(r"\s*(translate|scale|rotate|matrix)\s*\(([^()]{1,200})\)\s*,?")
LONGEST = 1_000
LARGEST = 1e9  # far beyond any drawing, and far from what floats overflow at


@dataclass(frozen=True)
class Transform:
    """x → a·x + c·y + e, y → b·x + d·y + f."""

    a: float = 1
    b: float = 0
    c: float = 0
    d: float = 1
    e: float = 0
    f: float = 0

    @property
    def is_usable(self) -> bool:
        """Whether no part grew without bound, as one of many may; a part may be no number then."""
        return all(abs(part) < LARGEST for part in (self.a, self.b, self.c, self.d, self.e, self.f))

    def apply(self, x: float, y: float) -> tuple[float, float]:
        return self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f

    def then(self, inner: "Transform") -> "Transform":
        """The transform of something inside that has a transform of its own."""
        if inner is IDENTITY:
            return self
        e, f = self.apply(inner.e, inner.f)
        return Transform(
            self.a * inner.a + self.c * inner.b,
            self.b * inner.a + self.d * inner.b,
            self.a * inner.c + self.c * inner.d,
            self.b * inner.c + self.d * inner.d,
            e,
            f,
        )


IDENTITY = Transform()


def read_number(text: str) -> float | None:
    text = text.strip()[:40]
    if not _NUMBER.fullmatch(text):
        return None
    number = float(text.removesuffix("px"))
    return number if isfinite(number) and abs(number) < LARGEST else None


def read_transform(text: str) -> Transform | None:
    """The transform of an attribute; None if it is none that we know."""
    found, at = IDENTITY, 0
    if len(text) > LONGEST:
        return None
    while at < len(text.rstrip()):
        call = _CALL.match(text, at)
        if call is None:
            return None
        numbers = [read_number(part) for part in re.split(r"[\s,]+", call[2].strip())]
        step = _step(call[1], [number for number in numbers if number is not None])
        if step is None or None in numbers:
            return None
        found, at = found.then(step), call.end()
    return found


def _step(name: str, numbers: list[float]) -> Transform | None:
    match name, numbers:
        case "translate", [x]:
            return Transform(e=x)
        case "translate", [x, y]:
            return Transform(e=x, f=y)
        case "scale", [x]:
            return Transform(a=x, d=x)
        case "scale", [x, y]:
            return Transform(a=x, d=y)
        case "rotate", [angle]:
            return _rotation(angle)
        case "rotate", [angle, x, y]:
            return Transform(e=x, f=y).then(_rotation(angle)).then(Transform(e=-x, f=-y))
        case "matrix", [a, b, c, d, e, f]:
            return Transform(a, b, c, d, e, f)
    return None


def _rotation(degrees: float) -> Transform:
    turn = radians(degrees)
    return Transform(cos(turn), sin(turn), -sin(turn), cos(turn))
