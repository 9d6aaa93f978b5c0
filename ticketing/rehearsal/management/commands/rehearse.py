"""Rehearses a whole sale, on the running site or on a throw-away one."""

import asyncio
import json
import os
import resource
import signal
import sys
import tomllib
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, NoReturn

import uvloop
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import translation

from ticketing.core import clock
from ticketing.rehearsal import services
from ticketing.rehearsal.fixture import SiteFixture
from ticketing.rehearsal.management.arguments import knob, minutes, number
from ticketing.rehearsal.management.errors import (
    BROKEN,
    STOPPED,
    USAGE,
    failures_as_command_errors,
    stop_as_command_error,
)
from ticketing.rehearsal.report_html.page import as_html
from ticketing.rehearsal.simulator.faults import LEVELS
from ticketing.rehearsal.simulator.history import Folder
from ticketing.rehearsal.simulator.progress import Progress
from ticketing.rehearsal.simulator.result import Result, judge_folder
from ticketing.rehearsal.simulator.runner import Options, rehearse
from ticketing.rehearsal.simulator.site import SiteClient
from ticketing.rehearsal.simulator.terminal import dashboard, soak_table, verdict_table
from ticketing.rehearsal.simulator.terminal.text import paint_for
from ticketing.rehearsal.simulator.users.arrivals import PROFILES
from ticketing.rehearsal.web_process import WebProcess

LEVELS_OF_IDENTITY = ("none", "email", "identity")
NETWORKED = ("network", "all")  # the faults that need a proxy in front of the servers


@dataclass(frozen=True)
class Site:
    """Where to rehearse: a throw-away site, or one that runs, perhaps by a process of our own."""

    url: str
    token: str
    fixture: SiteFixture | None = None
    web: WebProcess | None = None

    def client(self) -> SiteClient:
        unix_socket = str(self.web.socket) if self.web else ""
        return SiteClient(self.url, self.token, unix_socket=unix_socket)

    def save_log(self, folder: Path) -> None:
        if self.fixture:
            (folder / "site.log").write_text(self.fixture.output())
        if self.web:
            (folder / "web.log").write_text(self.web.output())


class Command(BaseCommand):
    help = (
        "Rehearse a sale: thousands of simulated people use a copy of the event by the pages and "
        "calls that everybody uses, and a report says what held. Exit code 0 only if all did; 1 if "
        "not, 2 if it could not be done, 130 if it was stopped."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("event", nargs="?", type=number(1), metavar="EVENT", help="[the next sale]")
        add("--fans", type=number(1), default=5_000, metavar="N", help="People. [5000]")
        add("--minutes", type=minutes, default=3.0, help="From opening to closing. [3]")
        add("--profile", choices=PROFILES, default="rush", help="How they come. [rush]")
        add("--faults", choices=[*LEVELS], default="none", help="What goes wrong. [none]")
        add("--rounds", type=number(1), default=0, metavar="N", help="Faults in all. [each once]")
        add("--seed", type=number(0), default=1, metavar="N", help="Same seed, same plans. [1]")
        add("--level", choices=LEVELS_OF_IDENTITY, help="What people have shown. [the event's]")
        add("--set", action="append", default=[], type=knob, metavar="KNOB=VALUE", dest="knobs")
        self.add_site_arguments(parser)

    def add_site_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("--url", help="The site. [this machine's, by a web process for the rehearsal alone]")
        add("--token", default=os.environ.get("REHEARSAL_TOKEN", ""), help="[REHEARSAL_TOKEN]")
        add("--embedded", action="store_true", help="On a throw-away site of its own.")
        add("--alone", action="store_true", help="Nobody else uses the site: load it as you can.")
        add("--quiet", action="store_true", help="Print nothing but the result.")
        add("--json", action="store_true", help="Print the result as JSON; implies --quiet.")
        add("--folder", type=Path, help="Where its files go. [rehearsals/CODE in VAR_DIR]")
        add("--rehearsal", default="", metavar="CODE", help="Run one that was started already.")
        add("--clean", default="", metavar="CODE", help="Only delete what is left of one.")
        add("--judge", type=Path, metavar="FOLDER", help="Only judge the files of one again.")
        languages = [code for code, _name in settings.LANGUAGES]
        add("--language", choices=languages, help="Of the report. [the site's]")

    def handle(self, *args: Any, **options: Any) -> None:
        self.is_quiet = options["quiet"] or options["json"]
        self.language = options["language"] or settings.LANGUAGE_CODE
        self.client: SiteClient | None = None
        with stop_as_command_error(), failures_as_command_errors():
            if options["judge"]:
                folder = existing_folder(options["judge"])
                result = judge_folder(folder)
                self.save_html(result, folder)
                self.print_result(result, folder, options)
            elif options["clean"]:
                self.clean_up(options)
            else:
                self.rehearse(options)

    # -- actions ----------------------------------------------------------------------------------

    def rehearse(self, options: dict[str, Any]) -> None:
        with self.site(options) as site:
            folder, result = uvloop.run(self.run(runner_options(options), site))
            site.save_log(folder.path)
        self.print_result(result, folder, options)

    async def run(self, options: Options, site: Site) -> tuple[Folder, Result]:
        self.handle_signals()
        async with site.client() as client:
            self.client = None if site.fixture else client
            watch = None if self.is_quiet else self.show
            folder = await rehearse(options, client, site.fixture, watch)
            self.print("Judging what happened …")
            result = await asyncio.to_thread(judge_folder, folder)
            html = await asyncio.to_thread(self.save_html, result, folder)
            await client.upload_report(result.upload(html))
            return folder, result

    def save_html(self, result: Result, folder: Folder) -> str:
        with translation.override(self.language):
            html = as_html(result)
        (folder.path / "report.html").write_text(html)
        return html

    def clean_up(self, options: dict[str, Any]) -> None:
        async def call(site: Site) -> dict[str, int]:
            async with site.client() as client:
                return await client.clean_up(options["clean"])

        with self.site(options) as site:
            left = {name: n for name, n in asyncio.run(call(site)).items() if n}
        if left:
            raise CommandError(f"Still there: {left}", returncode=BROKEN)
        self.print(f"Nothing of {options['clean']} is left.")

    @contextmanager
    def site(self, options: dict[str, Any]) -> Iterator[Site]:
        allow_many_connections()
        if options["embedded"]:
            self.print("Starting a throw-away site …")
            with SiteFixture.started(with_network=options["faults"] in NETWORKED) as fixture:
                yield Site(fixture.url, fixture.token, fixture)
        elif options["url"] and not options["token"]:
            raise CommandError("--url needs --token, or REHEARSAL_TOKEN.", returncode=USAGE)
        else:
            token = options["token"] or services.mint_superuser_token(now=clock.now())
            if not options["alone"]:
                services.run_gently()
            if options["alone"] or options["url"]:
                yield Site(options["url"] or f"http://127.0.0.1:{settings.PORT}", token)
            else:
                with WebProcess.started(Path(settings.BASE_DIR)) as web:
                    yield Site(settings.SITE_URL, token, web=web)

    # -- output -----------------------------------------------------------------------------------

    async def show(self, progress: Progress) -> None:
        await dashboard.show(progress, sys.stdout)

    def print(self, text: str) -> None:
        if not self.is_quiet:
            self.stdout.write(text)
            self.stdout.flush()

    def print_result(self, result: Result, folder: Folder, options: dict[str, Any]) -> None:
        if options["json"]:
            self.stdout.write(json.dumps(result.report, ensure_ascii=False))
        else:
            if missed := folder.load("setting").get("faults_not_caused"):
                self.stdout.write(f"Not caused, or not over in time: {'; '.join(missed)}.\n")
            with translation.override("en"):  # like all output of commands
                paint = paint_for(sys.stdout)
                rows = verdict_table.lines(result.verdicts, paint)
            if options["rounds"]:
                evidence = result.evidence
                rows += ["", *soak_table.lines(result.verdicts, evidence.records, paint)]
            report = folder.path / "report.html"
            self.stdout.write("\n".join([*rows, "", f"Report: {report}"]))
        if not result.ok:
            raise SystemExit(BROKEN)

    def handle_signals(self) -> None:
        """Stop and clean up at the first Ctrl-C or SIGTERM; exit at the second, without waiting."""
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        signals = count()

        def stop() -> None:
            if next(signals) and self.client and not self.client.is_clean:
                exit_at_once(self.client.code)
            if task:
                task.cancel()

        for each in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(each, stop)


def runner_options(options: dict[str, Any]) -> Options:
    names = (
        *("event", "fans", "minutes", "profile", "faults", "seed", "rounds"),
        *("rehearsal", "folder"),
    )
    return Options(
        folders=Path(settings.VAR_DIR) / "rehearsals",
        knobs=dict(options["knobs"]),
        identity_level=options["level"],
        version=software_version(),
        is_gentle=not (options["embedded"] or options["alone"]),
        **{name: options[name] for name in names},
    )


def software_version() -> str:
    file = Path(settings.BASE_DIR) / "pyproject.toml"
    return str(tomllib.loads(file.read_text())["project"]["version"]) if file.exists() else ""


def existing_folder(path: Path) -> Folder:
    if not (path / "setting.json").exists():
        raise CommandError(f"{path} has no files of a rehearsal.", returncode=USAGE)
    return Folder(path)


def allow_many_connections() -> None:
    """Raise the limit of open files: every user has a connection, here and on the fixture."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def exit_at_once(code: str) -> NoReturn:
    if sys.stdout.isatty():
        sys.stdout.write(dashboard.LEAVE_SCREEN)
    sys.stdout.flush()
    sys.stderr.write(f"Stopped at once. What is left goes with: rehearse --clean {code}\n")
    sys.stderr.flush()
    os._exit(STOPPED)
