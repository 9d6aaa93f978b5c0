"""Frames have the bytes of RFC 6455."""

import pytest

from ticketing.core.live.websocket_frames import PING, TEXT, frame, shared_frame, unmasked


@pytest.mark.parametrize(
    ("size", "head"),
    [
        (0, b"\x81\x00"),
        (125, b"\x81\x7d"),
        (126, b"\x81\x7e\x00\x7e"),
        (65_535, b"\x81\x7e\xff\xff"),
        (65_536, b"\x81\x7f\x00\x00\x00\x00\x00\x01\x00\x00"),
    ],
)
def test_a_frame_begins_with_its_length(size, head):
    payload = b"x" * size

    assert frame(TEXT, payload) == head + payload


def test_a_shared_text_has_the_same_frame():
    assert shared_frame("가") == frame(TEXT, "가".encode()) == b"\x81\x03\xea\xb0\x80"


def test_the_masked_example_of_the_rfc_is_read():
    assert unmasked(b"\x37\xfa\x21\x3d", b"\x7f\x9f\x4d\x51\x58") == b"Hello"
    assert frame(PING, b"Hello") == b"\x89\x05Hello"
