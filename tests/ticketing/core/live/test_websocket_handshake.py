"""The request that opens a websocket is read as RFC 6455 says, or refused with a reason."""

import pytest

from ticketing.core.live.websocket_handshake import BadHandshake, read_request

HEADERS = {
    "host": "tickets.example.com",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    "sec-websocket-version": "13",
}


def request(method: str = "GET", **changed: str) -> bytes:
    headers = HEADERS | {name.replace("_", "-"): value for name, value in changed.items()}
    lines = [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([f"{method} /ws/?a=1 HTTP/1.1", *lines, "", ""]).encode()


def test_the_example_of_the_rfc_is_accepted_with_its_key():
    read = read_request(request())

    assert (read.target, read.subprotocols) == (b"/ws/?a=1", [])
    assert (b"host", b"tickets.example.com") in read.headers
    response = read.accepted(None)
    assert b"\r\nsec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n" in response


def test_the_chosen_subprotocol_is_named():
    read = read_request(request(sec_websocket_protocol="other, qr_abc.def"))

    assert read.subprotocols == ["other", "qr_abc.def"]
    assert read.accepted("qr_abc.def").endswith(b"\r\nsec-websocket-protocol: qr_abc.def\r\n\r\n")


@pytest.mark.parametrize(
    ("bad", "status"),
    [
        (request("POST"), b"400"),
        (request(sec_websocket_key=""), b"400"),
        (request(sec_websocket_key="short"), b"400"),
        (request(sec_websocket_key="?" * 24), b"400"),
        (request(sec_websocket_version="8"), b"426"),
    ],
)
def test_a_wrong_request_is_refused(bad, status):
    with pytest.raises(BadHandshake) as refused:
        read_request(bad)

    assert refused.value.response.startswith(b"HTTP/1.1 " + status)
    assert refused.value.response.endswith(b"\r\n\r\n")
