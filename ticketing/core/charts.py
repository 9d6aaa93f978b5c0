"""Parts of a chart as plain geometry; a page draws them as SVG, a PDF as vectors."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Curve:
    name: str
    points: list[tuple[float, float]]

    @property
    def path(self) -> str:
        """The points as an SVG polyline wants them."""
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in self.points)


@dataclass(frozen=True)
class AxisMark:
    at: float
    label: str
