"""The HTTP request that opens a websocket, and the responses that accept or refuse it."""

import base64
import binascii
import hashlib
from typing import NamedTuple

KEY_SUFFIX = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
VERSION = b"13"
REFUSED = b"HTTP/1.1 %d %b\r\nconnection: close\r\ncontent-length: 0\r\n%b\r\n"


class HandshakeRequest(NamedTuple):
    target: bytes
    headers: list[tuple[bytes, bytes]]
    accept_key: bytes
    subprotocols: list[str]

    def accepted(self, subprotocol: str | None) -> bytes:
        """The response that opens the websocket, with one of the subprotocols or none."""
        chosen = b"sec-websocket-protocol: %b\r\n" % subprotocol.encode() if subprotocol else b""
        return (
            b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n"
            b"sec-websocket-accept: %b\r\n%b\r\n" % (self.accept_key, chosen)
        )


class BadHandshake(ValueError):
    """The request opens no websocket; `response` says why."""

    def __init__(self, response: bytes) -> None:
        super().__init__(response)
        self.response = response


def refused(status: int, reason: bytes, more: bytes = b"") -> bytes:
    return REFUSED % (status, reason, more)


def read_request(request: bytes) -> HandshakeRequest:
    """Read the request as uvicorn writes it again after parsing it: well-formed HTTP."""
    first, *lines = request.split(b"\r\n")
    method, target, _ = first.split(b" ", 2)
    headers = [
        (name, value) for name, _, value in (line.partition(b": ") for line in lines if line)
    ]
    found = dict(headers)
    if method != b"GET" or not _is_key(key := found.get(b"sec-websocket-key", b"")):
        raise BadHandshake(refused(400, b"Bad Request"))
    if found.get(b"sec-websocket-version") != VERSION:
        more = b"sec-websocket-version: %b\r\n" % VERSION
        raise BadHandshake(refused(426, b"Upgrade Required", more))
    offered = found.get(b"sec-websocket-protocol", b"").decode("latin-1")
    subprotocols = [each.strip() for each in offered.split(",")] if offered else []
    return HandshakeRequest(target, headers, _accept_key(key), subprotocols)


def _is_key(key: bytes) -> bool:
    try:
        return len(base64.b64decode(key, validate=True)) == 16
    except binascii.Error:
        return False


def _accept_key(key: bytes) -> bytes:
    return base64.b64encode(hashlib.sha1(key + KEY_SUFFIX, usedforsecurity=False).digest())
