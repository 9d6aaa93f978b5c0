"""How many checkouts of one process work at a time, so that its event loop is free for pages.

A step of a checkout takes a millisecond or two of the event loop. Hundreds that start at once would
all run before the next page is looked at. So only a few work at a time; while one of them waits for
the gateway, another has its slot.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any
from weakref import WeakKeyDictionary

from django.conf import settings

from ticketing.core.metrics.machine import PoolUse, pools


class Slots:
    """Given out in order of arrival, but first to those who come back from a wait."""

    def __init__(self, count: int) -> None:
        self._count = self._free = count
        self._returning: deque[asyncio.Future[None]] = deque()
        self._new: deque[asyncio.Future[None]] = deque()

    def use(self) -> PoolUse:
        waiting = len(self._returning) + len(self._new)
        return PoolUse(self._count, self._count - self._free, waiting)

    async def acquire(self, *, is_back: bool = False) -> None:
        if self._free:
            self._free -= 1
            return
        turn = asyncio.get_running_loop().create_future()
        (self._returning if is_back else self._new).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it came in the same moment
                self.release()
            raise

    def release(self) -> None:
        for waiting in (self._returning, self._new):
            while waiting:
                if not (turn := waiting.popleft()).done():
                    turn.set_result(None)
                    return
        self._free += 1


# By event loop: each process has one that serves pages.
_slots: WeakKeyDictionary[asyncio.AbstractEventLoop, Slots] = WeakKeyDictionary()
# The task that has a slot. Tasks that it starts inherit the variable, but not the slot.
_owner: ContextVar["asyncio.Task[Any] | None"] = ContextVar("slot_owner", default=None)


@asynccontextmanager
async def slot() -> AsyncIterator[None]:
    """Work when it is this task's turn."""
    slots, task = _of_loop(), asyncio.current_task()
    await slots.acquire()
    before = _owner.set(task)
    try:
        yield
    finally:
        _owner.reset(before)
        slots.release()


@asynccontextmanager
async def slot_given_up() -> AsyncIterator[None]:
    """Let others work while this task waits for somebody outside; without a slot, nothing."""
    if (owner := _owner.get()) is None or owner is not asyncio.current_task():
        yield
        return
    slots = _of_loop()
    slots.release()
    try:
        yield
    finally:
        await _acquire_again(slots)


async def _acquire_again(slots: Slots) -> None:
    """Even if the task is cancelled, because whoever has the slot releases it at the end."""
    again = asyncio.ensure_future(slots.acquire(is_back=True))
    try:
        await asyncio.shield(again)
    except asyncio.CancelledError:
        await again
        raise


def _of_loop() -> Slots:
    loop = asyncio.get_running_loop()
    if (slots := _slots.get(loop)) is None:
        slots = _slots[loop] = Slots(settings.FAST_PATH_THREADS)
        pools["checkouts"] = slots.use
    return slots
