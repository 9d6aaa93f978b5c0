"""QR codes of many texts of one length, twenty times as fast as one by one.

Which squares are black is a linear function of the text's bits: error correction, placement and
mask only copy bits and take parities. So each bit has a pattern of squares that it turns over, and
a code is the sum of a blank code and of the patterns of the bits that are set. The blank code is
drawn by segno, with which a test compares.
"""

from collections.abc import Iterator
from itertools import chain, zip_longest
from typing import Any, cast

import segno
from segno import consts


class QrPatterns:
    """Codes of texts of `length` bytes. Squares are bits, row by row, with a 0 after each row."""

    def __init__(self, length: int, *, error: str, mask: int) -> None:
        blank = segno.make(bytes(length), error=error, micro=False, mask=mask, mode="byte")
        self.across = len(blank.matrix)
        self.total = self.across * (self.across + 1)
        rows = (bytes(row) + b"\0" for row in blank.matrix)
        self._blank = int("".join(map(str, b"".join(rows))), 2)
        version, tables = int(blank.version), cast("dict[int, Any]", consts.ECC)
        self._places = list(self._data_places(version))
        infos = tables[version][getattr(consts, f"ERROR_LEVEL_{blank.error}")]
        data = [info.num_data for info in infos for _ in range(info.num_blocks)]
        correction = infos[0].num_total - infos[0].num_data
        codewords = self._codeword_patterns(data, correction)
        head = 12 if version < 10 else 20  # bits of mode and length before the text
        bits = [pattern for patterns in codewords for pattern in patterns]
        self._patterns = [bits[start : start + 8] for start in range(head, head + 8 * length, 8)]

    def squares(self, text: bytes) -> str:
        """The squares as 0 and 1."""
        code = self._blank
        for byte, patterns in zip(text, self._patterns, strict=True):
            for bit, pattern in zip(BITS[byte], patterns, strict=True):
                if bit:
                    code ^= pattern
        return f"{code:0{self.total}b}"

    def _data_places(self, version: int) -> Iterator[int]:
        """Squares that hold data in their order: pairs of columns from the right, up and down."""
        fixed, down = self._fixed_squares(version), range(self.across)
        for n, right in enumerate([*range(self.across - 1, 6, -2), 5, 3, 1]):
            for y in down if n % 2 else reversed(down):
                for x in (right, right - 1):
                    if (x, y) not in fixed:
                        yield 1 << (self.total - 1 - y * (self.across + 1) - x)

    def _fixed_squares(self, version: int) -> set[tuple[int, int]]:
        """Those with which a scanner finds its way, or learns version and mask."""
        across, end = self.across, self.across - 8
        centres = consts.ALIGNMENT_POS[version - 2]
        corners = {(6, 6), (6, across - 7), (across - 7, 6)}
        alignment = {(x, y) for x in centres for y in centres} - corners
        areas = [(0, 0, 9, 9), (end, 0, 8, 9), (0, end, 9, 8), (6, 0, 1, across), (0, 6, across, 1)]
        areas += [(x - 2, y - 2, 5, 5) for x, y in alignment]
        if version >= 7:
            areas += [(end - 3, 0, 3, 6), (0, end - 3, 6, 3)]
        return {
            (x, y)
            for left, top, width, height in areas
            for x in range(left, left + width)
            for y in range(top, top + height)
        }

    def _codeword_patterns(self, data: list[int], correction: int) -> list[list[int]]:
        """Of each bit of each codeword of data: its own square and those that correct errors.

        The text fills block after block; the code takes a codeword of each block in turn.
        """
        turns = zip_longest(*([(block, n) for n in range(size)] for block, size in enumerate(data)))
        order = {codeword: n for n, codeword in enumerate(filter(None, chain(*turns)))}
        patterns = []
        for block, size in enumerate(data):
            checks = range(len(order) + block, len(order) + len(data) * correction, len(data))
            for n, rest in enumerate(_rests(size, correction)):
                values = [(order[block, n], 1), *zip(checks, rest, strict=True)]
                patterns.append(
                    [
                        sum(
                            self._squares_of(place, _times(value, 1 << bit))
                            for place, value in values
                        )
                        for bit in range(7, -1, -1)
                    ]
                )
        return patterns

    def _squares_of(self, codeword: int, value: int) -> int:
        places = self._places[8 * codeword : 8 * codeword + 8]
        return sum(place for place, bit in zip(places, BITS[value], strict=True) if bit)


BITS = [[value >> bit & 1 for bit in range(7, -1, -1)] for value in range(256)]


def _times(a: int, b: int) -> int:
    """Multiply in the field of 256 elements that QR codes use."""
    product = 0
    while b:
        if b & 1:
            product ^= a
        a = a << 1 ^ (0x11D if a & 0x80 else 0)
        b >>= 1
    return product


def _rests(count: int, correction: int) -> Iterator[list[int]]:
    """For each of `count` codewords, what a 1 there adds to the codewords that correct errors."""
    generator, root = [1], 1
    for _ in range(correction):
        generator = [
            a ^ _times(b, root) for a, b in zip([*generator, 0], [0, *generator], strict=True)
        ]
        root = _times(root, 2)
    rest, rests = generator[1:], []
    for _ in range(count):  # from the last codeword to the first, each times x more
        rests.append(rest)
        rest = [a ^ _times(rest[0], b) for a, b in zip([*rest[1:], 0], generator[1:], strict=True)]
    return reversed(rests)
