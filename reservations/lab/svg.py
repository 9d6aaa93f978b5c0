"""Writes a drawing as SVG."""

from xml.sax.saxutils import escape

from reservations.lab.shapes import Box, Dot, Drawing, Shape, Text

FONT = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans KR', sans-serif"


def svg(drawing: Drawing) -> str:
    width, height = number(drawing.width), number(drawing.height)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img" font-family="{FONT}">',
            f"<title>{escape(drawing.title)}</title>",
            f"<desc>{escape(drawing.description)}</desc>",
            *map(element, drawing.shapes),
            "</svg>\n",
        ]
    )


def element(shape: Shape) -> str:
    match shape:
        case Box():
            place = f'x="{number(shape.x)}" y="{number(shape.y)}"'
            size = f'width="{number(shape.width)}" height="{number(shape.height)}"'
            return f'<rect {place} {size} rx="{number(shape.round)}" fill="{shape.colour}"/>'
        case Dot():
            return dot(shape)
        case Text():
            return text(shape)


def dot(shape: Dot) -> str:
    style = f'fill="{shape.colour}" stroke="#ffffff" stroke-width="1.5"'
    if shape.diamond:
        corners = " ".join(f"{number(x)},{number(y)}" for x, y in shape.corners)
        return f'<polygon points="{corners}" {style}/>'
    place = f'cx="{number(shape.x)}" cy="{number(shape.y)}" r="{number(shape.radius)}"'
    return f"<circle {place} {style}/>"


def text(shape: Text) -> str:
    style = f'font-size="{number(shape.size)}" fill="{shape.colour}"'
    weight = ' font-weight="600"' if shape.bold else ""
    place = f'x="{number(shape.x)}" y="{number(shape.y)}"'
    return f"<text {place} {style}{weight}>{escape(shape.text)}</text>"


def number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
