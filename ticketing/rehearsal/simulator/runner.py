"""Runs a rehearsal: starts it, opens the sale, causes faults, closes it, and cleans up."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from ticketing.rehearsal.simulator.faults import Fault, FaultSchedule
from ticketing.rehearsal.simulator.history import (
    RUNNER,
    Folder,
    Record,
    Recorder,
    steady_time,
)
from ticketing.rehearsal.simulator.machine import CpuLoad, machine
from ticketing.rehearsal.simulator.pause import Pause, pause_seconds
from ticketing.rehearsal.simulator.process_control import ProcessControl
from ticketing.rehearsal.simulator.progress import Progress
from ticketing.rehearsal.simulator.site import LOST, SiteClient, SiteRefused, SiteUnreachable
from ticketing.rehearsal.simulator.users.fan import Account
from ticketing.rehearsal.simulator.users.http_client import UserHttpClient
from ticketing.rehearsal.simulator.users.user_pool import UserPool

MIN_LOBBY, MAX_LOBBY, JOINS_PER_SECOND = 5.0, 60.0, 250
LAST_ACTIONS_SECONDS = 60.0  # for users to finish what they began before the closing
SETTLING_SECONDS = 300.0  # for payments to reach a final state
EMPTYING_SECONDS = 30.0  # for the queue to become empty after the closing
POLL_SECONDS = 2.0
# Faults that are left at the end get as long again as the sale, and at least so many seconds: on a
# slow machine killed servers take long to come back.
MIN_EXTENSION = 180.0
MOVE_TEXTS = {"pause": "the line is paused", "resume": "the line goes on after a pause"}
Watch = Callable[[Progress], Coroutine[Any, Any, None]]


@dataclass(frozen=True)
class Options:
    event: int | None = None
    fans: int = 5_000
    minutes: float = 3.0
    profile: str = "rush"
    faults: str = "none"
    seed: int = 1
    knobs: dict[str, float] = field(default_factory=dict)
    rehearsal: str = ""  # the code of a rehearsal that was started elsewhere
    folder: Path | None = None
    folders: Path = Path("rehearsals")
    version: str = ""  # of the software, for the report

    def body(self) -> dict[str, Any]:
        """The body of the call that starts the rehearsal."""
        names = ("event", "fans", "minutes", "profile", "faults", "seed", "knobs")
        return {name: getattr(self, name) for name in names}


async def rehearse(
    options: Options,
    site: SiteClient,
    processes: ProcessControl | None = None,
    watch: Watch | None = None,
) -> Folder:
    """Run a rehearsal and return the folder with its files. It is cleaned up in any case."""
    progress = Progress()
    async with _in_background(watch(progress) if watch else None):
        progress.enter("copying the event")
        if options.rehearsal:
            setting = await site.resume(options.rehearsal)
        else:
            setting = await site.create(options.body())
        setting["version"] = options.version
        progress.setting = setting
        folder = Folder(options.folder or options.folders / setting["code"])
        recorder = folder.recorder()
        try:
            folder.save("setting", setting)
            await Run(setting, site, processes, folder, recorder, progress).run()
        finally:
            recorder.close()
            progress.enter("cleaning up")
            folder.save("left_behind", await site.clean_up())
        return folder


@asynccontextmanager
async def _in_background(
    work: Coroutine[Any, Any, None] | None,
) -> AsyncIterator[asyncio.Task[None] | None]:
    """Run a coroutine beside the block, and cancel it at the block's end."""
    task = asyncio.create_task(work) if work else None
    try:
        yield task
    finally:
        if task:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


@dataclass
class Run:
    """One run of a rehearsal, between start and clean-up."""

    setting: dict[str, Any]
    site: SiteClient
    processes: ProcessControl | None
    folder: Folder
    record: Recorder
    progress: Progress
    sale_lock: asyncio.Lock = field(default_factory=asyncio.Lock)  # a fault or the pause holds it

    async def run(self) -> None:
        fans, url = int(self.setting["fans"]), self.site.url
        self.record(Record(RUNNER, "begin", steady_time(), steady_time()))
        self.progress.enter("making people")
        accounts = await self._make_accounts(fans)
        async with UserHttpClient(url, people=fans, now=steady_time) as http:
            counters = self.progress.counters
            pool = UserPool(http, self.setting, record=self.record, counters=counters)
            try:
                pool.start(accounts)
                async with _in_background(self._sample()):
                    await self._run_sale(pool)
                    await self._settle()
            finally:
                await pool.cancel_all()
        if pool.failures:
            raise pool.failures[0]
        self.record(Record(RUNNER, "finish", steady_time(), steady_time()))

    async def _make_accounts(self, fans: int) -> dict[int, Account]:
        people = await self.site.make_people(fans)
        self.setting |= {
            "people": {str(person["number"]): person["id"] for person in people},
            "began": steady_time(),
            "machine": machine(),
            "embedded": self.processes is not None,
        }
        self.folder.save("setting", self.setting)
        return {person["number"]: Account(person["id"], person["session"]) for person in people}

    # -- the sale ---------------------------------------------------------------------------------

    async def _run_sale(self, pool: UserPool) -> None:
        fans, seconds = int(self.setting["fans"]), 60 * float(self.setting["minutes"])
        lobby = min(MAX_LOBBY, max(MIN_LOBBY, fans / JOINS_PER_SECOND), seconds / 3)
        self.progress.enter("lobby", lobby)
        await self._move("lobby")
        pool.lobby_opened(lobby)
        await asyncio.sleep(lobby)
        pool.sale_opens()
        await self._move("open")
        pool.sale_opened()
        self.progress.enter("sale", seconds)
        pause = Pause(
            seconds, pause_seconds(seconds), self.sale_lock, self._move, self._is_closing_after
        )
        async with _in_background(self._cause_faults()) as faults, _in_background(pause.run()):
            await pool.wait_until_finished(seconds)
            if faults:  # on a slow machine they take longer, and so does the sale
                await asyncio.wait([faults], timeout=max(seconds, MIN_EXTENSION))
        self.progress.enter("last calls", LAST_ACTIONS_SECONDS)
        await self._move("close")
        pool.sale_closed()
        await pool.wait_until_finished(LAST_ACTIONS_SECONDS)
        await pool.cancel_all()
        await self._wait_until_empty()

    async def _wait_until_empty(self) -> None:
        """Wait for the ticks that send everybody home: the journal is complete after them."""
        give_up_at = steady_time() + EMPTYING_SECONDS
        while not self._is_empty() and steady_time() < give_up_at:
            await asyncio.sleep(POLL_SECONDS / 4)

    def _is_empty(self) -> bool:
        """By a snapshot that was taken after the closing."""
        snapshot = self.progress.snapshot
        people = sum(snapshot.get(name) or 0 for name in ("lobby", "waiting", "ready", "inside"))
        return snapshot.get("state") == "closed" and not people

    async def _settle(self) -> None:
        """Wait until no payment is under way, and save the site's final rows and its journal."""
        self.progress.enter("settling payments", SETTLING_SECONDS)
        give_up_at = steady_time() + SETTLING_SECONDS
        facts = await self.site.facts()
        while not facts["settled"] and steady_time() < give_up_at:
            await asyncio.sleep(POLL_SECONDS)
            facts = await self.site.facts()
        self.folder.save("facts", facts)
        self.progress.enter("reading the journal")
        self.folder.save("journal", [_entry(line) for line in await self.site.journal()])

    # -- faults -----------------------------------------------------------------------------------

    async def _cause_faults(self) -> None:
        schedule = FaultSchedule(
            level=str(self.setting["faults"]),
            seed=int(self.setting["seed"]),
            minutes=float(self.setting["minutes"]),
            processes=self.processes,
            gateway=self.site if self.setting["payments"] else None,
        )
        self._save_remaining_faults(fault.description for fault in schedule.planned())
        await schedule.run(self._record_fault, self._show_fault, sale_lock=self.sale_lock)

    def _is_closing_after(self, seconds: float) -> bool:
        """Whether the sale may close from then on: not while faults are left."""
        is_late = steady_time() - self.progress.began >= seconds
        return is_late and not self.setting.get("faults_not_caused")

    def _save_remaining_faults(self, descriptions: Iterable[str]) -> None:
        """Save which faults are not done yet: the result must not claim that they were."""
        self.setting["faults_not_caused"] = list(descriptions)
        self.folder.save("setting", self.setting)

    def _show_fault(self, fault: Fault) -> None:
        left = len(self.setting["faults_not_caused"])
        self.progress.last_change = f"{fault.description} ({left} to go)"

    def _record_fault(self, record: Record) -> None:
        description = record.data["description"]
        if record.done:
            left = self.setting["faults_not_caused"]
            self._save_remaining_faults(other for other in left if other != description)
        seconds = record.ended - record.began
        self.progress.last_change = f"over: {description}, after {seconds:.0f} s"
        self.record(record)

    # -- calls that are recorded ------------------------------------------------------------------

    async def _move(self, move: str) -> None:
        """Make a move; it is recorded without an answer, too, as it may have been made."""
        began, status, data = steady_time(), 0, {"move": move}
        try:
            data["state"] = await self.site.move(move)
            status = 200
            self.progress.last_change = MOVE_TEXTS.get(move, self.progress.last_change)
        except SiteRefused as refusal:
            status = refusal.status
            raise
        finally:
            self.record(Record(RUNNER, "move", began, steady_time(), status, data=data))

    async def _sample(self) -> None:
        """Record a snapshot of the sale every second, or that the site did not answer."""
        load = CpuLoad(self.processes)
        while True:
            began, status, code, data = steady_time(), 200, "", dict[str, Any]()
            try:
                data = await self.site.snapshot()
                self.progress.snapshot = data
            except SiteRefused as refusal:
                status, code = refusal.status, refusal.code
            except (SiteUnreachable, *LOST):
                status = 0
            ended = steady_time()
            connections = self.progress.counters.connections
            data = data | {"connections": connections, "load": load.now()}
            self.record(Record(RUNNER, "sample", began, ended, status, code, data))
            await asyncio.sleep(max(0.0, began + 1 - steady_time()))


def _entry(line: dict[str, Any]) -> dict[str, Any]:
    at = datetime.fromisoformat(line["at"]).timestamp()
    return {"at": at, **{name: line[name] for name in ("person", "kind", "number")}}
