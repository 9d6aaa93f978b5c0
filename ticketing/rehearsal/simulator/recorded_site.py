"""The runner's calls to the site while the sale runs: each is recorded, also without an answer."""

import asyncio
from dataclasses import dataclass
from itertools import count
from typing import Any

from ticketing.rehearsal.simulator.history import RUNNER, Record, Recorder, steady_time
from ticketing.rehearsal.simulator.machine import CpuLoad
from ticketing.rehearsal.simulator.progress import Progress
from ticketing.rehearsal.simulator.site import LOST, SiteClient, SiteRefused, SiteUnreachable

SAMPLE_SECONDS = 1.0
READ_SECONDS, SEATS_PER_READ = 3.0, 500  # between two readings of the books; in each of them
MOVE_TEXTS = {"pause": "the line is paused", "resume": "the line goes on after a pause"}


@dataclass(frozen=True)
class RecordedSite:
    client: SiteClient
    record: Recorder
    progress: Progress

    async def move(self, move: str) -> None:
        """Make a move; without an answer it is recorded as well, because it may have been made."""
        began, status, data = steady_time(), 0, {"move": move}
        try:
            data["state"] = await self.client.move(move)
            status = 200
            self.progress.last_change = MOVE_TEXTS.get(move, self.progress.last_change)
        except SiteRefused as refusal:
            status = refusal.status
            raise
        finally:
            self.record(Record(RUNNER, "move", began, steady_time(), status, data=data))

    async def facts(self) -> dict[str, Any]:
        """The rows that the site has at the end of the sale."""
        began = steady_time()
        facts = await self.client.facts()
        settled = {"settled": facts["settled"]}
        self.record(Record(RUNNER, "facts", began, steady_time(), data=settled))
        return facts

    async def keep_sampling(self, load: CpuLoad) -> None:
        """Record a snapshot of the sale every second, or that the site did not answer."""
        while True:
            began, status, code, data = steady_time(), 200, "", dict[str, Any]()
            try:
                data = await self.client.snapshot()
                self.progress.snapshot = data
            except SiteRefused as refusal:
                status, code = refusal.status, refusal.code
            except (SiteUnreachable, *LOST):
                status = 0
            ended = steady_time()
            connections = self.progress.counters.connections
            data = data | {"connections": connections, "load": load.now()}
            self.record(Record(RUNNER, "sample", began, ended, status, code, data))
            await asyncio.sleep(max(0.0, began + SAMPLE_SECONDS - steady_time()))

    async def keep_reading_books(self, *, seats: int) -> None:
        """Record the money, and the owners of a part of the seats: they must fit what users saw."""
        parts = -(-seats // SEATS_PER_READ) or 1
        for part in count():
            await asyncio.sleep(READ_SECONDS)
            began, status, data = steady_time(), 200, dict[str, Any]()
            try:
                data = await self.client.books(part=part % parts, parts=parts)
            except SiteRefused as refusal:
                status = refusal.status
            except (SiteUnreachable, *LOST):
                status = 0
            self.record(Record(RUNNER, "books", began, steady_time(), status, data=data))
