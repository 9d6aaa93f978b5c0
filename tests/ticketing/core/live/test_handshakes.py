"""Sockets that are opened let requests pass."""

import asyncio

import pytest

from ticketing.core.live import handshakes
from ticketing.core.live.handshakes import PER_TURN, handshakes_of

SOCKETS = 50


async def opened_before_a_request() -> tuple[list[int], list[int]]:
    """Which sockets were open when a request was answered, and in the end."""
    loop = asyncio.get_running_loop()
    opened: list[int] = []
    answered: asyncio.Future[list[int]] = loop.create_future()
    for number in range(SOCKETS):
        handshakes_of(loop).add(lambda number=number: opened.append(number))
    loop.call_soon(lambda: answered.set_result(list(opened)))
    before = await answered
    while len(opened) < SOCKETS:
        await asyncio.sleep(0)
    return before, opened


async def test_a_request_does_not_wait_for_all_sockets():
    before, opened = await opened_before_a_request()

    assert before == list(range(PER_TURN))
    assert opened == list(range(SOCKETS))


async def test_control_without_turns_it_does(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(handshakes, "PER_TURN", SOCKETS)

    before, _ = await opened_before_a_request()

    assert len(before) == SOCKETS


async def test_one_that_fails_does_not_stop_the_next():
    loop, opened = asyncio.get_running_loop(), asyncio.Event()
    failures: list[object] = []
    loop.set_exception_handler(lambda _, context: failures.append(context["exception"]))

    handshakes_of(loop).add(lambda: 1 / 0)
    handshakes_of(loop).add(opened.set)
    await asyncio.wait_for(opened.wait(), 10)

    assert isinstance(failures[0], ZeroDivisionError)
