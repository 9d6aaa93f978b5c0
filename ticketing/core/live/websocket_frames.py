"""Frames of RFC 6455: opcodes, close codes, and how a frame is written."""

from functools import lru_cache

TEXT, CLOSE, PING, PONG = 0x1, 0x8, 0x9, 0xA
CONTROL = frozenset({CLOSE, PING, PONG})
LAST_FRAME, MASKED = 0x80, 0x80
MAX_CONTROL = 125
NORMAL, PROTOCOL_ERROR, NO_CODE, ABNORMAL, NO_PONG, RESTART = 1000, 1002, 1005, 1006, 1011, 1012


def frame(opcode: int, payload: bytes) -> bytes:
    """A whole message in one frame; frames of a server are not masked."""
    size = len(payload)
    if size <= MAX_CONTROL:
        return bytes((LAST_FRAME | opcode, size)) + payload
    if size < 0x10000:
        return bytes((LAST_FRAME | opcode, 126, size >> 8, size & 0xFF)) + payload
    return bytes((LAST_FRAME | opcode, 127)) + size.to_bytes(8, "big") + payload


@lru_cache(maxsize=64)
def shared_frame(text: str) -> bytes:
    """The frame of a text that many clients get: encoded once."""
    return frame(TEXT, text.encode())


def unmasked(mask: bytes, payload: bytes) -> bytes:
    """The payload of a client's frame, which is masked with four bytes."""
    return bytes(byte ^ mask[at & 3] for at, byte in enumerate(payload))
