"""The sale is paused in the middle and goes on again, as an operator would do it."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

from ticketing.rehearsal.simulator.site import StageRefused, StageSilent

# Shares of the sale: from when on, and until when it may begin if nothing keeps the sale open.
FROM, UNTIL = 0.5, 0.8
# In a short sale, too, it outlasts what is allowed to those who have not heard of it.
SHORTEST, LONGEST, SHARE = 5.0, 8.0, 1 / 15


@dataclass(frozen=True)
class Pause:
    """`turn` is had by one at a time: nothing is broken while the sale is paused."""

    sale_seconds: float
    turn: asyncio.Lock
    move: Callable[[str], Awaitable[None]]
    is_closing_after: Callable[[float], bool]

    @property
    def lasts(self) -> float:
        return min(LONGEST, max(SHORTEST, SHARE * self.sale_seconds))

    async def take(self) -> None:
        await asyncio.sleep(FROM * self.sale_seconds)
        async with self.turn:
            if not self.is_closing_after(UNTIL * self.sale_seconds):
                with suppress(StageRefused):  # an operator was faster: the line is theirs
                    await self._pause()

    async def _pause(self) -> None:
        with suppress(StageSilent):  # then nobody knows whether it is paused
            await self.move("pause")
            await asyncio.sleep(self.lasts)
        await self._go_on()

    async def _go_on(self) -> None:
        """Until it is heard; whoever cuts this short closes the sale, which ends a pause, too."""
        while True:
            with suppress(StageSilent):
                return await self.move("resume")
