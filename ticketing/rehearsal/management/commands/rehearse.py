"""A whole sale, rehearsed against the running site or a throw-away one."""

import asyncio
import json
import os
import resource
import signal
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, NoReturn

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError
from django.utils import translation

from ticketing.development.embedded.errors import CannotRun
from ticketing.rehearsal.passes import NobodyMay, own_pass
from ticketing.rehearsal.simulator import screen
from ticketing.rehearsal.simulator.faults import LEVELS
from ticketing.rehearsal.simulator.fixture import House
from ticketing.rehearsal.simulator.history import Folder
from ticketing.rehearsal.simulator.judgement import Judgement, judge
from ticketing.rehearsal.simulator.runner import Options, rehearse
from ticketing.rehearsal.simulator.site import Stage, StageRefused, StageSilent
from ticketing.rehearsal.simulator.table import lines as table
from ticketing.rehearsal.simulator.users.arrivals import PROFILES

BROKEN, USAGE, STOPPED = 1, 2, 130


class Command(BaseCommand):
    help = (
        "Rehearse a sale: thousands of simulated people storm a copy of the event through the "
        "front doors, and a report says what held. Exit code 0 only if everything did; 1 if not, "
        "2 if it could not be done, 130 if it was stopped."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("event", nargs="?", type=number(1), metavar="EVENT", help="[the next sale]")
        add("--fans", type=number(1), default=5_000, metavar="N", help="People. [5000]")
        add("--minutes", type=minutes, default=3.0, help="From opening to closing. [3]")
        add("--profile", choices=PROFILES, default="rush", help="How they come. [rush]")
        add("--faults", choices=[*LEVELS], default="none", help="What goes wrong. [none]")
        add("--seed", type=number(0), default=1, metavar="N", help="Same seed, same plans. [1]")
        add("--set", action="append", default=[], type=knob, metavar="KNOB=VALUE", dest="knobs")
        self.add_places(parser)

    def add_places(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("--url", help="The site. [the one on this machine]")
        add("--token", default=os.environ.get("REHEARSAL_TOKEN", ""), help="[REHEARSAL_TOKEN]")
        add("--embedded", action="store_true", help="On a throw-away site of its own.")
        add("--quiet", action="store_true", help="Say nothing but the result.")
        add("--json", action="store_true", help="The result as JSON; implies --quiet.")
        add("--folder", type=Path, help="Where its files go. [rehearsals/CODE in VAR_DIR]")
        add("--rehearsal", default="", metavar="CODE", help="Direct one that was made already.")
        add("--clean", default="", metavar="CODE", help="Only delete what is left of one.")
        add("--judge", type=Path, metavar="FOLDER", help="Only judge the files of one again.")

    def handle(self, *args: Any, **options: Any) -> None:
        self.is_quiet = options["quiet"] or options["json"]
        self.stage: Stage | None = None
        with ended_tidily(), said_plainly():
            if options["judge"]:
                self.tell(judge(existing(options["judge"])), options["judge"], options)
            elif options["clean"]:
                self.clean(options)
            else:
                self.rehearse(options)

    # -- what it does -----------------------------------------------------------------------------

    def rehearse(self, options: dict[str, Any]) -> None:
        with self.site(options) as (url, token, house):
            folder, judgement = asyncio.run(self.play(wished(options), url, token, house))
            if house:
                (folder.path / "site.log").write_text(house.said())
        self.tell(judgement, folder.path, options)

    async def play(
        self, wish: Options, url: str, token: str, house: House | None
    ) -> tuple[Folder, Judgement]:
        self.stop_when_told()
        async with Stage(url, token) as stage:
            self.stage = stage if house is None else None
            folder = await rehearse(wish, stage, house, None if self.is_quiet else self.show)
            self.say("Judging what happened …")
            judgement = await asyncio.to_thread(judge, folder)
            await stage.report(judgement.upload())
            return folder, judgement

    def clean(self, options: dict[str, Any]) -> None:
        async def ask(url: str, token: str) -> dict[str, int]:
            async with Stage(url, token) as stage:
                return await stage.clean(options["clean"])

        with self.site(options) as (url, token, _):
            left = {name: n for name, n in asyncio.run(ask(url, token)).items() if n}
        if left:
            raise CommandError(f"Still there: {left}", returncode=BROKEN)
        self.say(f"Nothing of {options['clean']} is left.")

    @contextmanager
    def site(self, options: dict[str, Any]) -> Iterator[tuple[str, str, House | None]]:
        allow_many_connections()
        if options["embedded"]:
            self.say("Starting a throw-away site …")
            with House.started() as house:
                yield house.url, house.token, house
        elif options["url"] and not options["token"]:
            raise CommandError("--url needs --token, or REHEARSAL_TOKEN.", returncode=USAGE)
        else:
            url = options["url"] or f"http://127.0.0.1:{settings.PORT}"
            yield url, options["token"] or own_pass(), None

    # -- what it says -----------------------------------------------------------------------------

    async def show(self, progress: screen.Progress) -> None:
        await screen.show(progress, sys.stdout)

    def say(self, words: str) -> None:
        if not self.is_quiet:
            self.stdout.write(words)
            self.stdout.flush()

    def tell(self, judgement: Judgement, folder: Path, options: dict[str, Any]) -> None:
        if options["json"]:
            self.stdout.write(json.dumps(judgement.told, ensure_ascii=False))
        else:
            paint = screen.paint_for(sys.stdout)
            report = folder / "report.html"
            self.admit_what_was_not_caused(folder)
            with translation.override("en"):  # as everything else that commands say
                verdicts = table(judgement.verdicts, paint)
            self.stdout.write("\n".join([*verdicts, "", f"Report: {report}"]))
        if not judgement.holds:
            raise SystemExit(BROKEN)

    def admit_what_was_not_caused(self, folder: Path) -> None:
        missed = Folder(folder).kept("setting").get("faults_not_caused")
        if missed:
            self.stdout.write(f"Not caused, or not over in time: {'; '.join(missed)}.\n")

    def stop_when_told(self) -> None:
        """The first Ctrl-C or SIGTERM stops and cleans up; the second does not wait for that."""
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        told = count()

        def stop() -> None:
            if next(told) and self.stage and not self.stage.is_clean:
                leave_at_once(self.stage.code)
            if task:
                task.cancel()

        for word in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(word, stop)


def wished(options: dict[str, Any]) -> Options:
    names = ("event", "fans", "minutes", "profile", "faults", "seed", "rehearsal", "folder")
    folders = Path(settings.VAR_DIR) / "rehearsals"
    knobs = dict(options["knobs"])
    return Options(folders=folders, knobs=knobs, **{name: options[name] for name in names})


def existing(path: Path) -> Folder:
    if not (path / "setting.json").exists():
        raise CommandError(f"{path} has no files of a rehearsal.", returncode=USAGE)
    return Folder(path)


# -- words on the command line --------------------------------------------------------------------


def number(least: int) -> Callable[[str], int]:
    def read(word: str) -> int:
        if not word.isdecimal() or int(word) < least:
            raise ArgumentTypeError(f"“{word}” is not a whole number of at least {least}")
        return int(word)

    return read


def minutes(word: str) -> float:
    try:
        read = float(word)
    except ValueError:
        read = 0.0
    if not 0.1 <= read <= 240:
        raise ArgumentTypeError(f"“{word}” is not a number of minutes from 0.1 to 240")
    return read


def knob(word: str) -> tuple[str, float]:
    name, _, value = word.partition("=")
    try:
        read = float(value)
    except ValueError:
        raise ArgumentTypeError(f"“{word}” is not like admit_per_second=80") from None
    return name, int(read) if read.is_integer() else read


# -- endings --------------------------------------------------------------------------------------


def allow_many_connections() -> None:
    """Everybody in line holds one open, here and on the throw-away site, which inherits it."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def leave_at_once(code: str) -> NoReturn:
    if sys.stdout.isatty():
        sys.stdout.write(screen.OWN_SCREEN)
    sys.stdout.flush()
    sys.stderr.write(f"Stopped at once. What is left goes with: rehearse --clean {code}\n")
    sys.stderr.flush()
    os._exit(STOPPED)


@contextmanager
def ended_tidily() -> Iterator[None]:
    try:
        yield
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise CommandError("Stopped.", returncode=STOPPED) from None


@contextmanager
def said_plainly() -> Iterator[None]:
    try:
        yield
    except StageRefused as no:
        raise CommandError(refusal(no), returncode=USAGE) from None
    except StageSilent as silence:
        raise CommandError(f"The site does not answer: {silence}", returncode=USAGE) from None
    except (NobodyMay, CannotRun) as why:
        raise CommandError(str(why), returncode=USAGE) from None
    except OperationalError as outage:
        said = f"The site's database can't be reached. Is the site running? {outage}"
        raise CommandError(said.strip(), returncode=USAGE) from None


def refusal(no: StageRefused) -> str:
    if no.status in (401, 403):
        return f"The site does not accept this token: {no.message}"
    if no.code == "not_found":
        return "The site has no such event."
    named = f" ({', '.join(no.fields)})" if no.fields else ""
    return f"The site refuses: {no.message}{named}"
