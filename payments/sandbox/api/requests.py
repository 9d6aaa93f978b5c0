"""An API call as the event loop receives it, and its response."""

import json
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from payments.sandbox.errors import InvalidRequest

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

LONGEST_BODY = 1024 * 1024


class ClientGone(Exception):
    """The client hung up before its request was complete."""


@dataclass(frozen=True)
class ApiRequest:
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    raw_body: bytes

    @property
    def body(self) -> dict[str, Any]:
        """For GET, PortOne takes the body from the query string."""
        raw = self.query.get("requestBody", "") if self.method == "GET" else self.raw_body
        try:
            body = json.loads(raw or "{}")
        except ValueError:
            raise InvalidRequest("The body is not JSON.") from None
        if not isinstance(body, dict):
            raise InvalidRequest("The body is not an object.")
        return body


async def read_request(scope: Scope, receive: Receive) -> ApiRequest:
    headers = {name.decode("latin1"): value.decode("latin1") for name, value in scope["headers"]}
    return ApiRequest(
        method=scope["method"],
        path=scope["path"],
        query=dict(parse_qsl(scope["query_string"].decode("latin1"))),
        headers=headers,
        raw_body=await read_body(receive),
    )


async def read_body(receive: Receive) -> bytes:
    """The whole body; a longer one than allowed is cut, and then is not JSON."""
    chunks, more = bytearray(), True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        chunks += message.get("body", b"")[: LONGEST_BODY - len(chunks)]
        more = message.get("more_body", False)
    return bytes(chunks)


async def send_response(
    send: Send, status: int, body: bytes, content_type: bytes = b"application/json"
) -> None:
    headers = [(b"content-type", content_type), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
