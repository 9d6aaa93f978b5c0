"""Runs a rehearsal: starts it, opens the sale, causes faults, closes it, and cleans up."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ticketing.rehearsal.simulator.faults import Fault, FaultSchedule
from ticketing.rehearsal.simulator.history import (
    RUNNER,
    Folder,
    Record,
    Recorder,
    journal_line,
    steady_time,
)
from ticketing.rehearsal.simulator.machine import CpuLoad, machine
from ticketing.rehearsal.simulator.pause import Pause, pause_seconds
from ticketing.rehearsal.simulator.process_control import ProcessControl
from ticketing.rehearsal.simulator.progress import Progress
from ticketing.rehearsal.simulator.recorded_site import RecordedSite
from ticketing.rehearsal.simulator.site import SiteClient
from ticketing.rehearsal.simulator.users.http_client import BOTS_PER_RANGE, UserHttpClient
from ticketing.rehearsal.simulator.users.personas import is_bot
from ticketing.rehearsal.simulator.users.site_user import Account
from ticketing.rehearsal.simulator.users.user_pool import UserPool

MIN_LOBBY, MAX_LOBBY, JOINS_PER_SECOND = 5.0, 60.0, 250
LAST_ACTIONS_SECONDS = 60.0  # for users to finish what they began before the closing
SETTLING_SECONDS = 300.0  # for payments to reach a final state
EMPTYING_SECONDS = 30.0  # for the queue to become empty after the closing
POLL_SECONDS = 2.0
# Faults that are left at the end get as long again as the sale, and at least so many seconds: on a
# slow machine killed servers take long to come back.
MIN_EXTENSION = 180.0
QUIET_SECONDS = 25.0  # after the last of many rounds, before the sale closes
# On a site that people use, a fifth of the time is used: a slower site gets fewer calls.
GENTLE_CALLS: dict[str, Any] = {"calls": 4, "handshakes": 4, "rest": 4.0}
GENTLE_PEOPLE: dict[str, Any] = {"per_call": 50, "rest": 4.0}
Watch = Callable[[Progress], Coroutine[Any, Any, None]]


@dataclass(frozen=True)
class Options:
    event: int | None = None
    fans: int = 5_000
    minutes: float = 3.0
    profile: str = "rush"
    faults: str = "none"
    seed: int = 1
    rounds: int = 0  # faults in all; 0: each once
    extension: float = 0.0  # seconds for faults that are left at the end; 0: as long as the sale
    identity_level: str | None = None  # None: the event's own
    knobs: dict[str, float] = field(default_factory=dict)
    rehearsal: str = ""  # the code of a rehearsal that was started elsewhere
    folder: Path | None = None
    folders: Path = Path("rehearsals")
    version: str = ""  # of the software, for the report
    is_gentle: bool = False  # others use the site, and must not be slowed down

    def body(self) -> dict[str, Any]:
        """The body of the call that starts the rehearsal."""
        names = ("event", "fans", "minutes", "profile", "faults", "seed", "identity_level", "knobs")
        return {name: getattr(self, name) for name in names}


async def rehearse(
    options: Options,
    site: SiteClient,
    processes: ProcessControl | None = None,
    watch: Watch | None = None,
    faults: Sequence[Fault] = (),
) -> Folder:
    """Run a rehearsal and return the folder with its files. It is cleaned up in any case.

    `faults` are caused instead of those of the level.
    """
    progress = Progress()
    async with _in_background(watch(progress) if watch else None):
        progress.enter("copying the event")
        if options.rehearsal:
            setting = await site.resume(options.rehearsal)
        else:
            setting = await site.create(options.body())
        setting |= {"version": options.version, "rounds": options.rounds}
        setting["extension"] = options.extension
        progress.setting = setting
        folder = Folder(options.folder or options.folders / setting["code"])
        recorder = folder.recorder()
        try:
            folder.save("setting", setting)
            parts = (setting, site, processes, folder, recorder, progress, faults)
            await Run(*parts, is_gentle=options.is_gentle).run()
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
    faults: Sequence[Fault] = ()
    is_gentle: bool = False
    sale_lock: asyncio.Lock = field(default_factory=asyncio.Lock)  # a fault or the pause holds it

    def __post_init__(self) -> None:
        self.calls = RecordedSite(self.site, self.record, self.progress)

    async def run(self) -> None:
        fans, url = int(self.setting["fans"]), self.site.url
        self.record(Record(RUNNER, "begin", steady_time(), steady_time()))
        self.progress.enter("making people")
        accounts = await self._make_accounts(fans)
        share = GENTLE_CALLS if self.is_gentle else {}
        share = share | {"unix_socket": self.site.unix_socket}
        async with UserHttpClient(url, people=fans, now=steady_time, **share) as http:
            counters = self.progress.counters
            pool = UserPool(http, self.setting, record=self.record, counters=counters)
            try:
                pool.start(accounts)
                samples = self.calls.keep_sampling(CpuLoad(self.processes))
                books = self.calls.keep_reading_books(seats=int(self.setting["seats"]))
                async with _in_background(samples), _in_background(books):
                    await self._run_sale(pool)
                    await self._settle()
            finally:
                await pool.cancel_all()
        if pool.failures:
            raise pool.failures[0]
        self.record(Record(RUNNER, "finish", steady_time(), steady_time()))

    async def _make_accounts(self, fans: int) -> dict[int, Account]:
        seed, profile = int(self.setting["seed"]), str(self.setting["profile"])
        bots = [it for it in range(fans) if is_bot(it, seed=seed, profile=profile)]
        owners = bots[::BOTS_PER_RANGE]  # whoever runs them has one identity for those of a range
        kinds = {"new": {*bots}, "unverified": {*bots} - {*owners}}
        share = GENTLE_PEOPLE if self.is_gentle else {}
        people = await self.site.make_people(fans, kinds=kinds, **share)
        self.setting |= {
            "people": {str(person["number"]): person["id"] for person in people},
            "began": steady_time(),
            "machine": machine(),
            "embedded": self.processes is not None,
        }
        self.folder.save("setting", self.setting)
        return {
            person["number"]: Account(person["id"], person["session"], person.get("lane", 0))
            for person in people
        }

    # -- the sale ---------------------------------------------------------------------------------

    async def _run_sale(self, pool: UserPool) -> None:
        fans, seconds = int(self.setting["fans"]), 60 * float(self.setting["minutes"])
        lobby = min(MAX_LOBBY, max(MIN_LOBBY, fans / JOINS_PER_SECOND), seconds / 3)
        self.progress.enter("lobby", lobby)
        await self.calls.move("lobby")
        pool.lobby_opened(lobby)
        await asyncio.sleep(lobby)
        pool.sale_opens()
        await self.calls.move("open")
        pool.sale_opened()
        self.progress.enter("sale", seconds)
        lasts, move = pause_seconds(seconds), self.calls.move
        pause = Pause(seconds, lasts, self.sale_lock, move, self._is_closing_after)
        async with _in_background(self._cause_faults()) as faults, _in_background(pause.run()):
            await pool.wait_until_finished(seconds)
            if faults:  # on a slow machine they take longer, and so does the sale
                extension = float(self.setting.get("extension") or max(seconds, MIN_EXTENSION))
                await asyncio.wait([faults], timeout=extension)
            if self.setting.get("rounds"):  # to see whether anything stays stuck
                await asyncio.sleep(QUIET_SECONDS)
        self.progress.enter("last calls", LAST_ACTIONS_SECONDS)
        await self.calls.move("close")
        pool.sale_closed()
        await pool.wait_until_finished(LAST_ACTIONS_SECONDS)
        await pool.cancel_all()
        # After the ticks that take everybody out the journal is complete.
        give_up_at = steady_time() + EMPTYING_SECONDS
        while not self._is_empty() and steady_time() < give_up_at:
            await asyncio.sleep(POLL_SECONDS / 4)

    def _is_empty(self) -> bool:
        """Whether nobody was in the queue in the last snapshot, taken after the closing."""
        snapshot = self.progress.snapshot
        people = sum(snapshot.get(name) or 0 for name in ("lobby", "waiting", "ready", "inside"))
        return snapshot.get("state") == "closed" and not people

    async def _settle(self) -> None:
        """Wait until no payment is under way, and save the site's final rows and its journal."""
        self.progress.enter("settling payments", SETTLING_SECONDS)
        give_up_at = steady_time() + SETTLING_SECONDS
        facts = await self.calls.facts()
        while not facts["settled"] and steady_time() < give_up_at:
            await asyncio.sleep(POLL_SECONDS)
            facts = await self.calls.facts()
        self.folder.save("facts", facts)
        self.progress.enter("reading the journal")
        self.folder.save("journal", [journal_line(each) for each in await self.site.journal()])

    # -- faults -----------------------------------------------------------------------------------

    async def _cause_faults(self) -> None:
        schedule = FaultSchedule(
            level=str(self.setting["faults"]),
            seed=int(self.setting["seed"]),
            minutes=float(self.setting["minutes"]),
            processes=self.processes,
            gateway=self.site if self.setting["payments"] else None,
            rounds=int(self.setting.get("rounds", 0)),
            own=self.faults,
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
            left = list(self.setting["faults_not_caused"])
            left.remove(description)
            self._save_remaining_faults(left)
        seconds = record.ended - record.began
        self.progress.last_change = f"over: {description}, after {seconds:.0f} s"
        self.record(record)
