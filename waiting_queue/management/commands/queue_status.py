"""Every queue that is not over, in numbers."""

import time
from argparse import ArgumentParser
from datetime import datetime
from typing import Any

from ticketing.core import clock
from ticketing.core.errors import NotFound
from waiting_queue import services
from waiting_queue.advice import short
from waiting_queue.management.operating import QueueCommand
from waiting_queue.models import SaleQueue
from waiting_queue.services import Overview

HEADS = (
    *("EVENT", "STATE", "LOBBY", "WAITING", "READY", "INSIDE", "RATE", "TICK", "JOURNAL", "TITLE"),
)
CLEAR = "\x1b[H\x1b[2J"
UNKNOWN = "-"


class Command(QueueCommand):
    help = "Show how many people are where; with --watch again every second, until Ctrl-C."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("event", type=int, nargs="?", metavar="EVENT")
        parser.add_argument("--watch", action="store_true", help="Again every second.")

    def act(self, **options: Any) -> None:
        if not options["watch"]:
            return self.show(options["event"])
        try:
            while True:
                self.show(options["event"], watched=True)
                time.sleep(1)
        except KeyboardInterrupt:
            self.stdout.write("")

    def show(self, event: int | None, *, watched: bool = False) -> None:
        queues, now = shown_queues(event), clock.now()
        seen = services.overviews(queues, now=now)
        rows = [HEADS, *(row(queue, seen[queue.pk]) for queue in queues)]
        lines = [*table(rows), *mind(queues, seen), *(() if queues else ("There is no queue.",))]
        stamp = f"{CLEAR if self.stdout.isatty() else ''}{clock_words(now)}\n" if watched else ""
        self.stdout.write(stamp + "\n".join(lines))


def shown_queues(event: int | None) -> list[SaleQueue]:
    queues = SaleQueue.objects.select_related("event")
    if event is None:
        return list(queues.exclude(state=SaleQueue.State.CLOSED))
    found = list(queues.filter(pk=event))
    if not found:
        raise NotFound()
    return found


def row(queue: SaleQueue, seen: Overview) -> tuple[str, ...]:
    asked = short(queue.admit_per_second) if queue.admit_per_second else "any"
    known = (
        f"{seen.lobby:,}",
        f"{seen.waiting:,}",
        f"{seen.ready:,}",
        f"{seen.inside:,}/{seen.cap:,}",
        f"{seen.rate:.1f}/{asked}",
        UNKNOWN if seen.tick_age is None else f"{seen.tick_age:.1f}s",
        f"{seen.backlog:,}",
    )
    counts = known if seen.known else (UNKNOWN,) * len(known)
    return (str(queue.pk), queue.state, *counts, str(queue))


def table(rows: list[tuple[str, ...]]) -> list[str]:
    """Numbers to the right, words to the left; the last column needs no width."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(_cells(cells, widths)).rstrip() for cells in rows]


def _cells(cells: tuple[str, ...], widths: list[int]) -> list[str]:
    words = {1, len(cells) - 1}
    return [
        cell.ljust(width) if place in words else cell.rjust(width)
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]


def mind(queues: list[SaleQueue], seen: dict[int, Overview]) -> list[str]:
    if any(not each.reachable for each in seen.values()):
        return ["Redis can't be reached: the counts are not known."]
    return [
        f"{queue.pk}: {words}"
        for queue in queues
        for words in services.warnings_of(queue, seen[queue.pk])
    ]


def clock_words(now: datetime) -> str:
    return f"{now.astimezone():%Y-%m-%d %H:%M:%S}"
