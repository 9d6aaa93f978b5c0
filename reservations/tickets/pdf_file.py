"""Writes PDF files of a few pages. Embedded fonts are kept for the files that follow.

A library subsets and compresses the fonts anew for every file, which took most of the time of a
mail, and changes them meanwhile, so that two threads disturbed each other.
"""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from reservations.tickets.typeface import Subset, Typeface

CATALOG, PAGES, INFO, FIRST_FONT = 1, 2, 3, 4
OBJECTS_PER_FONT = 5
MAX_MAPPINGS = 100  # in one block of a character map


@dataclass(frozen=True)
class Text:
    """A line of text; x and y are where its first letter stands."""

    font: int  # its place in the file's list of typefaces
    size: float
    colour: str  # "red green blue", each from 0 to 1
    x: float
    y: float
    content: str


@dataclass(frozen=True)
class Page:
    texts: Sequence[Text]
    drawing: str  # commands


@dataclass(frozen=True)
class EmbeddedFont:
    """The objects of a font, and the code of each character in hexadecimal."""

    objects: tuple[bytes, ...]
    codes: dict[str, str]


@dataclass(frozen=True)
class PdfFile:
    """`shared` are characters that a font always has, so that the next files can use it, too."""

    title: str
    language: str
    size: tuple[float, float]
    typefaces: Sequence[Typeface]
    shared: Mapping[int, str]

    def content(self, pages: Sequence[Page]) -> bytes:
        fonts = [self._font(n, pages) for n in range(len(self.typefaces))]
        first_page = FIRST_FONT + OBJECTS_PER_FONT * len(fonts)
        objects = [*self._head(range(first_page, first_page + 2 * len(pages), 2))]
        for font in fonts:
            objects += font.objects
        for page in pages:
            content = len(objects) + 2
            objects += [
                b"<< /Type /Page /Parent %d 0 R /Contents %d 0 R >>" % (PAGES, content),
                _stream(_drawn(page, fonts).encode()),
            ]
        return _file(objects)

    def _head(self, pages: Sequence[int]) -> Iterator[bytes]:
        width, height = self.size
        kids = " ".join(f"{number} 0 R" for number in pages)
        fonts = " ".join(f"/F{n} {_number(n)} 0 R" for n in range(len(self.typefaces)))
        yield f"<< /Type /Catalog /Pages {PAGES} 0 R /Lang ({self.language}) >>".encode()
        yield (
            f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} /MediaBox [0 0 {width:.2f} "
            f"{height:.2f}] /Resources << /Font << {fonts} >> >> >>"
        ).encode()
        yield f"<< /Title <feff{self.title.encode('utf-16-be').hex()}> >>".encode()

    def _font(self, n: int, pages: Sequence[Page]) -> EmbeddedFont:
        used = set(self.shared.get(n, ""))
        for page in pages:
            for text in page.texts:
                if text.font == n:
                    used.update(text.content)
        return _embedded_font(self.typefaces[n], frozenset(used), _number(n))


def _number(n: int) -> int:
    """The number of the first object of the n-th font."""
    return FIRST_FONT + OBJECTS_PER_FONT * n


def _drawn(page: Page, fonts: Sequence[EmbeddedFont]) -> str:
    texts = (
        f"BT /F{text.font} {text.size} Tf {text.colour} rg {text.x:.2f} {text.y:.2f} Td "
        f"<{''.join(map(fonts[text.font].codes.__getitem__, text.content))}> Tj ET"
        for text in page.texts
    )
    return "\n".join([page.drawing, *texts])


@lru_cache(maxsize=256)
def _embedded_font(face: Typeface, characters: frozenset[str], number: int) -> EmbeddedFont:
    """The objects from `number` on: the font, its glyphs, their metrics, the file, the text."""
    subset = face.subset(characters)
    name = f"{chr(ord('A') + number % 26) * 6}+{face.name}"  # the prefix says: a subset
    glyphs, descriptor, file, text = (f"{number + n} 0 R" for n in range(1, OBJECTS_PER_FONT))
    objects = (
        f"<< /Type /Font /Subtype /Type0 /BaseFont /{name} /Encoding /Identity-H "
        f"/DescendantFonts [{glyphs}] /ToUnicode {text} >>".encode(),
        f"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /{name} /CIDToGIDMap /Identity "
        f"/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> "
        f"/FontDescriptor {descriptor} /W [0 [{' '.join(map(str, subset.widths))}]] >>".encode(),
        f"<< /Type /FontDescriptor /FontName /{name} /Flags 4 /ItalicAngle 0 /StemV 80 "
        f"/FontBBox [{' '.join(map(str, face.box))}] /Ascent {face.ascent} "
        f"/Descent {face.descent} /CapHeight {face.ascent} /FontFile2 {file} >>".encode(),
        _stream(subset.file, f"/Length1 {len(subset.file)} "),
        _stream(_character_map(subset).encode()),
    )
    return EmbeddedFont(objects, {char: f"{glyph:04x}" for char, glyph in subset.glyphs.items()})


def _character_map(subset: Subset) -> str:
    """From glyphs back to characters, so that the text can be searched and copied."""
    pairs = [
        f"<{glyph:04x}> <{character.encode('utf-16-be').hex()}>"
        for character, glyph in subset.glyphs.items()
        if glyph
    ]
    blocks = (pairs[n : n + MAX_MAPPINGS] for n in range(0, len(pairs), MAX_MAPPINGS))
    return "\n".join(
        [
            "/CIDInit /ProcSet findresource begin 12 dict begin begincmap",
            "/CMapName /Text def /CMapType 2 def",
            "1 begincodespacerange <0000> <ffff> endcodespacerange",
            *("\n".join([f"{len(block)} beginbfchar", *block, "endbfchar"]) for block in blocks),
            "endcmap CMapName currentdict /CMap defineresource pop end end",
        ]
    )


def _stream(content: bytes, entries: str = "") -> bytes:
    packed = zlib.compress(content)
    head = f"<< {entries}/Length {len(packed)} /Filter /FlateDecode >>"
    return b"%b\nstream\n%b\nendstream" % (head.encode(), packed)


def _file(objects: Sequence[bytes]) -> bytes:
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    entries = ["0000000000 65535 f "]
    for number, content in enumerate(objects, 1):
        entries.append(f"{len(out):010} 00000 n ")
        out += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table = "\n".join(["xref", f"0 {len(entries)}", *entries, "trailer"])
    trailer = f"<< /Size {len(entries)} /Root {CATALOG} 0 R /Info {INFO} 0 R >>"
    return bytes(out) + f"{table}\n{trailer}\nstartxref\n{len(out)}\n%%EOF\n".encode()
