"""Check a draw from what was published. With a file or an address, no database is asked."""

import json
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from django.core.management.base import CommandError

from waiting_queue import services
from waiting_queue.management.operating import QueueCommand

PATIENCE_SECONDS = 30
LARGEST = 500_000_000


class Command(QueueCommand):
    help = (
        "Work out the order of a draw again from its seed and entries; exit code 1 if it differs."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument("event", type=int, nargs="?", metavar="EVENT")
        source.add_argument("--file", help="The published draw.json.")
        source.add_argument("--url", help="Where draw.json is published.")
        parser.add_argument("--hash", default="", help="What was published before the opening.")

    def act(self, **options: Any) -> None:
        published = published_by(options)
        checks = services.check_draw(published, noted_hash=options["hash"])
        for check in checks:
            self.stdout.write(f"{'ok    ' if check.holds else 'WRONG '} {check.words}")
        if not all(check.holds for check in checks):
            raise CommandError("This draw does not fit what was published.")
        self.stdout.write(summary(published))


def published_by(options: dict[str, Any]) -> Any:
    if options["file"]:
        return read_json(Path(options["file"]).read_text)
    if options["url"]:
        return read_json(lambda: fetched(options["url"]))
    return services.published_draw(services.public_queue(options["event"]))


def read_json(read: Callable[[], str]) -> Any:
    try:
        return json.loads(read())
    except (OSError, ValueError) as trouble:
        raise CommandError(f"This can't be read: {trouble}") from None


def fetched(url: str) -> str:
    if not url.startswith(("http://", "https://")):
        raise ValueError("an address begins with http:// or https://")
    with urlopen(url, timeout=PATIENCE_SECONDS) as answer:  # noqa: S310 (checked above)
        return answer.read(LARGEST).decode()


def summary(published: dict[str, Any]) -> str:
    people = f"{len(published['entries']):,} entries"
    if not published["shuffled"]:
        return f"{people}, in order of arrival: there was no lot to check."
    return f"{people}, drawn as promised with the seed {published['seed']}."
