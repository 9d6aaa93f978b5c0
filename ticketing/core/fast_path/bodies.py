"""Request bodies and how large they may be: small ones are read or ignored, others refused."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ticketing.core.errors import TooLarge

LARGEST_BODY = 1024  # of calls on the fast path
LARGEST_FORM = 64 * 1024
# Posters, pictures and plans of 10 MB, with what a form adds; reports of rehearsals.
LARGEST_UPLOADS = {"/admin/": 11 * 1024 * 1024, "/api/v1/rehearsals/": 48 * 1024 * 1024}

Receive = Callable[[], Awaitable[dict[str, Any]]]


def largest_body(path: str) -> int:
    for prefix, size in LARGEST_UPLOADS.items():
        if path.startswith(prefix):
            return size
    return LARGEST_FORM


def is_small(headers: Mapping[str, str]) -> bool:
    """By its announced length; a body without one counts as small."""
    length = headers.get("content-length", "0")
    return length.isdecimal() and len(length) < 10 and int(length) <= LARGEST_BODY


def require_small_body(headers: Mapping[str, str]) -> None:
    """For calls that take no body: a small one is ignored."""
    if not is_small(headers):
        raise TooLarge()


async def discard_body(headers: Mapping[str, str], receive: Receive) -> None:
    """The same in the event loop, where a body without a length is counted while it comes in."""
    require_small_body(headers)
    if "transfer-encoding" not in headers:
        return
    size, more = 0, True
    while more:
        message = await receive()
        size += len(message.get("body", b""))
        more = message.get("more_body", False)
        if size > LARGEST_BODY:
            raise TooLarge()


async def buffer_body(headers: Mapping[str, str], receive: Receive) -> tuple[bytes | None, Receive]:
    """A small body, and a `receive` that yields it once more if Django has to answer after all.

    None for a body that is large or has no length: nothing of it was read.
    """
    if "transfer-encoding" in headers or not is_small(headers):
        return None, receive
    messages = [await receive()]
    while messages[-1].get("more_body"):
        messages.append(await receive())
    unread = iter(messages)

    async def receive_again() -> dict[str, Any]:
        return next(unread, None) or await receive()

    return b"".join(message.get("body", b"") for message in messages), receive_again
