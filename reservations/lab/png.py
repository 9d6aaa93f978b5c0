"""Writes a drawing as PNG, in Pillow's own font, which has Latin letters only."""

from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

from reservations.lab.shapes import Box, Dot, Drawing, Shape, Text

# For high-density screens.
SCALE = 2


def png(drawing: Drawing) -> bytes:
    image = Image.new("RGB", (int(drawing.width * SCALE), int(drawing.height * SCALE)), "white")
    draw = ImageDraw.Draw(image)
    for shape in drawing.shapes:
        draw_shape(draw, shape)
    file = BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()


def draw_shape(draw: ImageDraw.ImageDraw, shape: Shape) -> None:
    match shape:
        case Box():
            edges = (shape.x, shape.y, shape.x + shape.width, shape.y + shape.height)
            draw.rounded_rectangle(scaled(*edges), shape.round * SCALE, fill=shape.colour)
        case Dot(diamond=True):
            corners = [(x * SCALE, y * SCALE) for x, y in shape.corners]
            draw.polygon(corners, fill=shape.colour, outline="white")
        case Dot():
            x, y, radius = shape.x, shape.y, shape.radius
            edges = (x - radius, y - radius, x + radius, y + radius)
            draw.ellipse(scaled(*edges), fill=shape.colour, outline="white", width=SCALE)
        case Text():
            font = ImageFont.load_default(shape.size * SCALE)
            stroke = 0.5 * SCALE if shape.bold else 0
            place = (shape.x * SCALE, shape.y * SCALE)
            draw.text(place, shape.text, shape.colour, font, "ls", stroke_width=stroke)


def scaled(*edges: float) -> tuple[float, ...]:
    return tuple(edge * SCALE for edge in edges)
