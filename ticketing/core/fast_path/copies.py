"""A page rendered once and sent to many, with the values of each person filled in."""

import gzip
import json
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any

from ticketing.core.fast_path.responses import Header, PageResponse

# A gzip member without name or time, and the empty block that ends its deflate stream.
GZIP_HEAD, LAST_BLOCK = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", b"\x03\x00"
GZIP = (b"content-encoding", b"gzip")
SHORTEST_GZIPPED = 200  # bytes, as in Django's GZipMiddleware


@dataclass(eq=False)
class Copy:
    """`parts`: text and names of marks in turns. `headers`: as Django sent them, but the length."""

    status: int
    headers: list[Header]
    parts: list[str]
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        return self.parts[1::2]

    def to_json(self) -> str:
        headers = [
            (name.decode("latin-1"), value.decode("latin-1")) for name, value in self.headers
        ]
        return json.dumps([self.status, headers, self.parts, self.facts])

    @classmethod
    def from_json(cls, text: str) -> "Copy":
        status, headers, parts, facts = json.loads(text)
        raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        return cls(status, raw, parts, facts)

    def shared(self, *, compressed: bool, known: str = "") -> PageResponse:
        """The same bytes for everybody, or 304 if the browser names them in `If-None-Match`."""
        compressed = compressed and len(self._texts[0]) >= SHORTEST_GZIPPED
        response, etag, not_modified = self._compressed if compressed else self._plain
        return not_modified if etag in known and self.status == 200 else response

    def filled(
        self, values: Mapping[str, str], *, compressed: bool, more: list[Header]
    ) -> PageResponse:
        """With one person's values in the places of the marks."""
        own = [values[name].encode() for name in self.names]
        body = b"".join(_in_turns(self._texts, own))
        headers = [*self.headers, *more]
        if compressed:
            body, headers = self._gzipped(own, body), [*headers, GZIP]
        return PageResponse(self.status, [*headers, _length(body)], body)

    def _gzipped(self, own: list[bytes], body: bytes) -> bytes:
        """The texts were compressed once, each by itself. Values are stored uncompressed between
        them: no secret is compressed together with anything, so that no length betrays it."""
        blocks = _in_turns(self._deflated, [_stored(value) for value in own])
        tail = struct.pack("<LL", zlib.crc32(body), len(body) & 0xFFFFFFFF)
        return b"".join([GZIP_HEAD, *blocks, LAST_BLOCK, tail])

    @cached_property
    def _texts(self) -> list[bytes]:
        return [text.encode() for text in self.parts[::2]]

    @cached_property
    def _deflated(self) -> list[bytes]:
        return [_deflate(text) for text in self._texts]

    @cached_property
    def _plain(self) -> tuple[PageResponse, str, PageResponse]:
        return self._responses(self._texts[0], [], "")

    @cached_property
    def _compressed(self) -> tuple[PageResponse, str, PageResponse]:
        return self._responses(gzip.compress(self._texts[0], 6, mtime=0), [GZIP], "-gz")

    def _responses(
        self, body: bytes, more: list[Header], suffix: str
    ) -> tuple[PageResponse, str, PageResponse]:
        """The response, its validator, and the response to a browser that has it already."""
        etag = f'"{sha256(self._texts[0]).hexdigest()[:20]}{suffix}"'
        tag = [(b"etag", etag.encode())] if self.status == 200 else []
        response = PageResponse(self.status, [*self.headers, *tag, *more, _length(body)], body)
        kept = [header for header in self.headers if not header[0].startswith(b"content-type")]
        return response, etag, PageResponse(304, [*kept, *tag], b"")


def _in_turns(texts: list[bytes], values: list[bytes]) -> list[bytes]:
    joined = [b""] * (len(texts) + len(values))
    joined[::2], joined[1::2] = texts, values
    return joined


def _length(body: bytes) -> Header:
    return b"content-length", b"%d" % len(body)


def _deflate(text: bytes) -> bytes:
    """Blocks that end at a full byte and refer to nothing outside: others can follow."""
    compressor = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    return compressor.compress(text) + compressor.flush(zlib.Z_FULL_FLUSH)


def _stored(value: bytes) -> bytes:
    """Uncompressed blocks; each can hold 65,535 bytes."""
    pieces = [value[start : start + 0xFFFF] for start in range(0, len(value), 0xFFFF)]
    return b"".join(
        b"\x00" + struct.pack("<HH", len(piece), len(piece) ^ 0xFFFF) + piece for piece in pieces
    )
