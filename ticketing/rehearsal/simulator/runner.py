"""Runs a rehearsal from the first person made to the last row deleted, whatever happens between."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from ticketing.rehearsal.simulator.faults import Fault, Faults
from ticketing.rehearsal.simulator.fixture import House
from ticketing.rehearsal.simulator.history import STAGE, Deed, Folder, Recorder, steady
from ticketing.rehearsal.simulator.machine import Load, machine, version
from ticketing.rehearsal.simulator.pause import Pause
from ticketing.rehearsal.simulator.screen import Progress
from ticketing.rehearsal.simulator.site import LOST, Stage, StageRefused, StageSilent
from ticketing.rehearsal.simulator.users import Crowd, Door
from ticketing.rehearsal.simulator.users.fan import Account

LOBBY_LEAST, LOBBY_MOST, JOINS_PER_SECOND = 5.0, 60.0, 250
LAST_CALLS = 60.0  # seconds after the closing in which people finish what they began
SETTLING = 300.0  # seconds in which payments must be known
SENT_HOME = 30.0  # seconds in which the line must be empty after the closing
LOOKING = 2.0
LONGER = 60.0  # seconds that even a short sale stays open for faults that are left
MOVED = {"pause": "the line is paused", "resume": "the line goes on after a pause"}
Watch = Callable[[Progress], Coroutine[Any, Any, None]]


@dataclass(frozen=True)
class Options:
    """What somebody asked for."""

    event: int | None = None
    fans: int = 5_000
    minutes: float = 3.0
    profile: str = "rush"
    faults: str = "none"
    seed: int = 1
    knobs: dict[str, float] = field(default_factory=dict)
    rehearsal: str = ""  # the code of one that was made already
    folder: Path | None = None
    folders: Path = Path("rehearsals")

    def wish(self) -> dict[str, Any]:
        names = ("event", "fans", "minutes", "profile", "faults", "seed", "knobs")
        return {name: getattr(self, name) for name in names}


async def rehearse(
    options: Options, stage: Stage, house: House | None = None, watch: Watch | None = None
) -> Folder:
    """Whether it is cut short or not, nothing of it stays on the site."""
    progress = Progress()
    async with _beside(watch(progress) if watch else None):
        progress.enter("copying the event")
        setting = await _setting(options, stage)
        progress.setting = setting
        folder = Folder(options.folder or options.folders / setting["code"])
        recorder = folder.recorder()
        try:
            folder.keep("setting", setting)
            await Play(setting, stage, house, folder, recorder, progress).run()
        finally:
            recorder.close()
            progress.enter("cleaning up")
            folder.keep("left_behind", await stage.clean())
        return folder


async def _setting(options: Options, stage: Stage) -> dict[str, Any]:
    if options.rehearsal:
        return await stage.resume(options.rehearsal)
    return await stage.create(options.wish())


@asynccontextmanager
async def _beside(
    work: Coroutine[Any, Any, None] | None,
) -> AsyncIterator[asyncio.Task[None] | None]:
    """Something that goes on meanwhile, and ends with this."""
    task = asyncio.create_task(work) if work else None
    try:
        yield task
    finally:
        if task:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


@dataclass
class Play:
    """One evening."""

    setting: dict[str, Any]
    stage: Stage
    house: House | None
    folder: Folder
    recorder: Recorder
    progress: Progress
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)  # of what is done to the sale

    async def run(self) -> None:
        fans, url = int(self.setting["fans"]), self.stage.url
        self.record(Deed(STAGE, "begin", steady(), steady()))
        self.progress.enter("making people")
        accounts = await self._accounts(fans)
        async with Door(url, people=fans, now=steady) as door:
            crowd = Crowd(door, self.setting, record=self.recorder, tally=self.progress.tally)
            try:
                crowd.gather(accounts)
                async with _beside(self._sample()):
                    await self._sell(crowd)
                    await self._settle()
            finally:
                await crowd.send_home()
        if crowd.failures:
            raise crowd.failures[0]
        self.record(Deed(STAGE, "finish", steady(), steady()))

    async def _accounts(self, fans: int) -> dict[int, Account]:
        made = await self.stage.people(fans)
        known = self.setting | {
            "people": {str(person["number"]): person["id"] for person in made},
            "began": steady(),
            "machine": machine(),
            "embedded": self.house is not None,
            "version": version(),
        }
        self.setting.update(known)
        self.folder.keep("setting", known)
        return {it["number"]: Account(it["id"], it["session"]) for it in made}

    # -- the evening ------------------------------------------------------------------------------

    async def _sell(self, crowd: Crowd) -> None:
        fans, minutes = int(self.setting["fans"]), float(self.setting["minutes"])
        lobby = min(LOBBY_MOST, max(LOBBY_LEAST, fans / JOINS_PER_SECOND), 20 * minutes)
        self.progress.enter("lobby", lobby)
        await self._move("lobby")
        crowd.lobby_opened(lobby)
        await asyncio.sleep(lobby)
        crowd.sale_opens()
        await self._move("open")
        crowd.sale_opened()
        self.progress.enter("sale", 60 * minutes)
        pause = Pause(60 * minutes, self.turn, self._move, self._is_closing_after)
        async with _beside(self._faults(minutes)) as faults, _beside(pause.take()):
            if not await crowd.gone(60 * minutes) and faults:
                # On a slow machine they take longer, and so does the sale.
                await asyncio.wait([faults], timeout=max(60 * minutes, LONGER))
        self.progress.enter("last calls", LAST_CALLS)
        await self._move("close")
        crowd.line_closed()
        await crowd.gone(LAST_CALLS)
        await crowd.send_home()
        await self._until_nobody_is_there()

    async def _until_nobody_is_there(self) -> None:
        """The line sends people home with its next ticks; its journal is whole after that."""
        give_up_at = steady() + SENT_HOME
        while self._people_there() and steady() < give_up_at:
            await asyncio.sleep(LOOKING / 4)

    def _people_there(self) -> bool:
        """By a pulse that is younger than the closing."""
        pulse = self.progress.pulse
        there = sum(pulse.get(name) or 0 for name in ("lobby", "waiting", "ready", "inside"))
        return pulse.get("state") != "closed" or there > 0

    async def _settle(self) -> None:
        """Until no payment is under way, and then what the site has written down."""
        self.progress.enter("settling payments", SETTLING)
        give_up_at = steady() + SETTLING
        facts = await self.stage.facts()
        while not facts["settled"] and steady() < give_up_at:
            await asyncio.sleep(LOOKING)
            facts = await self.stage.facts()
        self.folder.keep("facts", facts)
        self.progress.enter("reading the journal")
        self.folder.keep("journal", [_entry(line) for line in await self.stage.journal()])

    async def _faults(self, minutes: float) -> None:
        level, seed = str(self.setting["faults"]), int(self.setting["seed"])
        gateway = self.stage if self.setting["payments"] else None
        faults = Faults(level, seed, minutes, self.house, gateway)
        self._not_caused(fault.words for fault in faults.planned())
        await faults.cause(self._record_fault, self._tell_fault, turn=self.turn)

    def _is_closing_after(self, seconds: float) -> bool:
        """So far into the sale; while faults are left it stays open."""
        late = steady() - self.progress.began >= seconds
        return late and not self.setting.get("faults_not_caused")

    def _not_caused(self, words: Iterable[str]) -> None:
        """What was planned and is not done; kept, because a rehearsal must not claim more."""
        self.setting["faults_not_caused"] = list(words)
        self.folder.keep("setting", self.setting)

    def _tell_fault(self, fault: Fault) -> None:
        """For those who watch: it is only written down when it is over."""
        left = len(self.setting["faults_not_caused"])
        self.progress.news = f"{fault.words} ({left} to go)"

    def _record_fault(self, deed: Deed) -> None:
        if deed.done:
            left = self.setting["faults_not_caused"]
            self._not_caused(words for words in left if words != deed.saw.get("words"))
        took = deed.ended - deed.began
        self.progress.news = f"over: {deed.saw.get('words', '')}, after {took:.0f} s"
        self.record(deed)

    # -- what is written down ---------------------------------------------------------------------

    def record(self, deed: Deed) -> None:
        self.recorder(deed)

    async def _move(self, move: str) -> None:
        """One without an answer may have been made as well, so it is written down."""
        began, status, saw = steady(), 0, {"move": move}
        try:
            saw["state"] = await self.stage.move(move)
            status, self.progress.news = 200, MOVED.get(move, self.progress.news)
        except StageRefused as refusal:
            status = refusal.status
            raise
        finally:
            self.record(Deed(STAGE, "move", began, steady(), status, saw=saw))

    async def _sample(self) -> None:
        """Once a second; that there was no answer is a sample, too."""
        load = Load(self.house)
        while True:
            began, status, code, saw = steady(), 200, "", dict[str, Any]()
            try:
                saw = await self.stage.pulse()
                self.progress.pulse = saw
            except StageRefused as refusal:
                status, code = refusal.status, refusal.code
            except (StageSilent, *LOST):
                status = 0
            ended = steady()
            saw = saw | {"connections": self.progress.tally.connections, "load": load.now()}
            self.record(Deed(STAGE, "sample", began, ended, status, code, saw))
            await asyncio.sleep(max(0.0, began + 1 - steady()))


def _entry(line: dict[str, Any]) -> dict[str, Any]:
    at = datetime.fromisoformat(line["at"]).timestamp()
    return {"at": at, **{name: line[name] for name in ("person", "kind", "number")}}
