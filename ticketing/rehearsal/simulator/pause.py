"""Pauses the sale once in the middle and resumes it, as an operator would."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

from ticketing.rehearsal.simulator.site import SiteRefused, SiteUnreachable

# Shares of the sale: the pause begins after the first, and before the second unless faults are
# left, which keep the sale open.
EARLIEST_SHARE, LATEST_SHARE = 0.5, 0.8
# Even in a short sale a pause is longer than the grace time of the judge's `paused`.
MIN_SECONDS, MAX_SECONDS, MAX_SHARE = 5.0, 8.0, 1 / 15


def pause_seconds(sale_seconds: float) -> float:
    return min(MAX_SECONDS, max(MIN_SECONDS, MAX_SHARE * sale_seconds))


@dataclass(frozen=True)
class Pause:
    """`sale_lock` keeps pause and faults apart."""

    sale_seconds: float
    lasts: float
    sale_lock: asyncio.Lock
    move: Callable[[str], Awaitable[None]]
    is_closing_after: Callable[[float], bool]

    async def run(self) -> None:
        await asyncio.sleep(EARLIEST_SHARE * self.sale_seconds)
        async with self.sale_lock:
            if not self.is_closing_after(LATEST_SHARE * self.sale_seconds):
                with suppress(SiteRefused):  # an operator moved the queue meanwhile
                    await self._pause_and_resume()

    async def _pause_and_resume(self) -> None:
        with suppress(SiteUnreachable):  # it may be paused all the same
            await self.move("pause")
            await asyncio.sleep(self.lasts)
        while True:  # until it is answered; if this is cancelled, the runner closes the sale
            with suppress(SiteUnreachable):
                return await self.move("resume")
