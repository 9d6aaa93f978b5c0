"""A TrueType font for PDF files: the widths of texts, and small copies with a few of its glyphs.

A typeface does not change after it is loaded, so threads may share it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from struct import pack, pack_into, unpack, unpack_from

# Flags of a part of a composite glyph.
WORDS, SCALE, MORE, TWO_SCALES, MATRIX = 0x1, 0x8, 0x20, 0x40, 0x80
WINDOWS_FULL_UNICODE = (3, 10)
Tables = dict[str, bytes]


@dataclass(frozen=True)
class Subset:
    """A font file with some glyphs, their numbers by character, and their widths by number."""

    file: bytes
    glyphs: dict[str, int]
    widths: list[int]


class Typeface:
    def __init__(self, path: Path) -> None:
        self.name = path.stem
        self._tables = _tables(path.read_bytes())
        head, hhea, loca = (self._tables[tag] for tag in ("head", "hhea", "loca"))
        (units,) = unpack_from(">H", head, 18)
        self._scale = 1000 / units
        self.box = [self._scaled(edge) for edge in unpack_from(">4h", head, 36)]
        self.ascent, self.descent = (self._scaled(edge) for edge in unpack_from(">2h", hhea, 4))
        (self._full_metrics,) = unpack_from(">H", hhea, 34)
        self._offsets = unpack(f">{len(loca) // 4}L", loca)
        self._glyphs = _glyphs(self._tables["cmap"])
        self._widths = {letter: self._width(glyph) for letter, glyph in self._glyphs.items()}
        self._missing = self._width(0)

    def width(self, text: str, size: float) -> float:
        return sum([self._widths.get(letter, self._missing) for letter in text]) * size / 1000

    def subset(self, characters: Iterable[str]) -> Subset:
        """A copy with these characters; those that it does not have are drawn as a box."""
        numbers = {0: 0}  # this font's glyph numbers → the subset's; 0 is the box
        glyphs = {
            character: numbers.setdefault(self._glyphs.get(character, 0), len(numbers))
            for character in sorted(characters)
        }
        outlines = list(self._outlines(numbers))
        count = len(numbers)
        tables = self._tables | {
            "hhea": self._tables["hhea"][:34] + pack(">H", count),
            "maxp": self._tables["maxp"][:4] + pack(">H", count) + self._tables["maxp"][6:],
            "hmtx": b"".join(map(self._metrics, numbers)),
            "loca": pack(f">{count + 1}L", 0, *accumulate(map(len, outlines))),
            "glyf": b"".join(outlines),
        }
        del tables["cmap"]  # a PDF refers to glyphs by number
        return Subset(_font_file(tables), glyphs, [self._width(glyph) for glyph in numbers])

    def _outlines(self, numbers: dict[int, int]) -> Iterator[bytes]:
        """The outlines of the glyphs in order; parts of composite glyphs are added to `numbers`."""
        wanted = list(numbers)
        for glyph in wanted:
            start, end = self._offsets[glyph], self._offsets[glyph + 1]
            outline = bytearray(self._tables["glyf"][start:end])
            for position in _parts(outline):
                (part,) = unpack_from(">H", outline, position)
                if part not in numbers:
                    numbers[part] = len(numbers)
                    wanted.append(part)
                pack_into(">H", outline, position, numbers[part])
            yield bytes(outline) + bytes(-len(outline) % 4)

    def _metrics(self, glyph: int) -> bytes:
        """Advance and left bearing; the last glyphs of a font share one advance."""
        hmtx, full = self._tables["hmtx"], self._full_metrics
        if glyph < full:
            return hmtx[4 * glyph : 4 * glyph + 4]
        bearing = 4 * full + 2 * (glyph - full)
        return hmtx[4 * full - 4 : 4 * full - 2] + hmtx[bearing : bearing + 2]

    def _width(self, glyph: int) -> int:
        return self._scaled(int.from_bytes(self._metrics(glyph)[:2]))

    def _scaled(self, units: int) -> int:
        """In thousandths of the font size, as PDF wants it."""
        return round(units * self._scale)


def _tables(data: bytes) -> Tables:
    (count,) = unpack_from(">H", data, 4)
    entries = [unpack_from(">4sLLL", data, 12 + 16 * n) for n in range(count)]
    found = {tag.decode(): data[start : start + length] for tag, _, start, length in entries}
    # What a PDF needs of it; this font has no hints, which would be three more tables.
    return {tag: found[tag] for tag in ("cmap", "glyf", "head", "hhea", "hmtx", "loca", "maxp")}


def _glyphs(cmap: bytes) -> dict[str, int]:
    """Glyph numbers by character (format 12: ranges of both)."""
    (count,) = unpack_from(">H", cmap, 2)
    records = [unpack_from(">HHL", cmap, 4 + 8 * n) for n in range(count)]
    (start,) = (offset for *kind, offset in records if tuple(kind) == WINDOWS_FULL_UNICODE)
    (groups,) = unpack_from(">L", cmap, start + 12)
    glyphs: dict[str, int] = {}
    for n in range(groups):
        first, last, glyph = unpack_from(">3L", cmap, start + 16 + 12 * n)
        glyphs |= {chr(code): glyph + code - first for code in range(first, last + 1)}
    return glyphs


def _parts(outline: bytes | bytearray) -> Iterator[int]:
    """Where a composite glyph names the glyphs that it consists of."""
    if not outline or outline[0] < 128:  # a negative count of contours means composite
        return
    position, flags = 10, MORE
    while flags & MORE:
        (flags,) = unpack_from(">H", outline, position)
        yield position + 2
        position += 8 if flags & WORDS else 6
        position += 2 * bool(flags & SCALE) + 4 * bool(flags & TWO_SCALES)
        position += 8 * bool(flags & MATRIX)


def _font_file(tables: Tables) -> bytes:
    power = len(tables).bit_length() - 1
    steps = 16 << power
    header = pack(">L4H", 0x10000, len(tables), steps, power, 16 * len(tables) - steps)
    start, directory, contents = 12 + 16 * len(tables), [header], []
    for tag, table in sorted(tables.items()):
        padded = table + bytes(-len(table) % 4)
        checksum = sum(unpack(f">{len(padded) // 4}L", padded)) & 0xFFFFFFFF
        directory.append(pack(">4s3L", tag.encode(), checksum, start, len(table)))
        contents.append(padded)
        start += len(padded)
    return b"".join([*directory, *contents])
