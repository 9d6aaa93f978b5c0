"""Verify a published draw; with --file or --url this needs no database."""

import json
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from django.core.management.base import CommandError

from waiting_queue import selectors
from waiting_queue.management.queue_command import QueueCommand

TIMEOUT_SECONDS = 30
MAX_BYTES = 500_000_000


class Command(QueueCommand):
    help = (
        "Work out seed and order of a draw again from what is published; exit code 1 if it differs."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument("event", type=int, nargs="?", metavar="EVENT")
        source.add_argument("--file", help="The published draw.json.")
        source.add_argument("--url", help="Where draw.json is published.")
        parser.add_argument("--hash", default="", help="What was published before the opening.")
        parser.add_argument("--value", default="", help="The public value, as its source has it.")

    def act(self, **options: Any) -> None:
        published = load_draw(options)
        noted = {"noted_hash": options["hash"], "noted_value": options["value"]}
        checks = selectors.draw_checks(published, **noted)
        for check in checks:
            self.stdout.write(f"{'ok    ' if check.passed else 'WRONG '} {check.description}")
        if not all(check.passed for check in checks):
            raise CommandError("This draw does not fit what was published.")
        self.stdout.write(summary(published))


def load_draw(options: dict[str, Any]) -> Any:
    if options["file"]:
        return read_json(Path(options["file"]).read_text)
    if options["url"]:
        return read_json(lambda: download(options["url"]))
    return selectors.published_draw(selectors.public_queue(options["event"]))


def read_json(read: Callable[[], str]) -> Any:
    try:
        return json.loads(read())
    except (OSError, ValueError) as error:
        raise CommandError(f"This can't be read: {error}") from None


def download(url: str) -> str:
    if not url.startswith(("http://", "https://")):
        raise ValueError("an address begins with http:// or https://")
    with urlopen(url, timeout=TIMEOUT_SECONDS) as response:  # noqa: S310 (checked above)
        return response.read(MAX_BYTES).decode()


def summary(published: dict[str, Any]) -> str:
    minutes = published.get("minutes") or []
    if minutes:
        newcomers = sum(len(one["entries"]) for one in minutes)
        drawn = f"{newcomers:,} entries in {len(minutes):,} minutes, each drawn as promised."
        if published["entries"] is None:
            return drawn
        return f"{_lobby_summary(published)}\n{drawn}"
    return _lobby_summary(published)


def _lobby_summary(published: dict[str, Any]) -> str:
    people = f"{len(published['entries']):,} entries"
    if not published["shuffled"]:
        return f"{people}, in order of arrival: there was no lot to check."
    return f"{people}, drawn as promised with the seed {published['seed']}."
