"""Show the counts of every queue that is not closed."""

import time
from argparse import ArgumentParser
from typing import Any

from ticketing.core import clock
from ticketing.core.errors import NotFound
from waiting_queue import selectors
from waiting_queue.management.queue_command import QueueCommand
from waiting_queue.models import SaleQueue
from waiting_queue.selectors import Overview
from waiting_queue.selectors.flow import format_decimal

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
        queues, now = queues_to_show(event), clock.now()
        overviews = selectors.overviews(queues, now=now)
        rows = [HEADS, *(row(queue, overviews[queue.pk]) for queue in queues)]
        lines = [*table(rows), *warnings(queues, overviews)]
        if not queues:
            lines.append("There is no queue.")
        if watched:
            clear = CLEAR if self.stdout.isatty() else ""
            lines.insert(0, f"{clear}{now.astimezone():%Y-%m-%d %H:%M:%S}")
        self.stdout.write("\n".join(lines))


def queues_to_show(event: int | None) -> list[SaleQueue]:
    queues = SaleQueue.objects.select_related("event")
    if event is None:
        return list(queues.exclude(state=SaleQueue.State.CLOSED))
    matching = list(queues.filter(pk=event))
    if not matching:
        raise NotFound()
    return matching


def row(queue: SaleQueue, overview: Overview) -> tuple[str, ...]:
    target = format_decimal(queue.admit_per_second) if queue.admit_per_second else "any"
    counts = (
        f"{overview.lobby:,}",
        f"{overview.waiting:,}",
        f"{overview.ready:,}",
        f"{overview.inside:,}/{overview.cap:,}",
        f"{overview.rate:.1f}/{target}",
        UNKNOWN if overview.tick_age is None else f"{overview.tick_age:.1f}s",
        f"{overview.backlog:,}",
    )
    shown = counts if overview.known else (UNKNOWN,) * len(counts)
    return (str(queue.pk), selectors.sale_status(queue), *shown, str(queue))


def table(rows: list[tuple[str, ...]]) -> list[str]:
    """Return aligned lines: state and title to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(_cells(cells, widths)).rstrip() for cells in rows]


def _cells(cells: tuple[str, ...], widths: list[int]) -> list[str]:
    left_aligned = {1, len(cells) - 1}
    return [
        cell.ljust(width) if column in left_aligned else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]


def warnings(queues: list[SaleQueue], overviews: dict[int, Overview]) -> list[str]:
    if any(not overview.reachable for overview in overviews.values()):
        return ["Redis can't be reached: the counts are not known."]
    return [
        f"{queue.pk}: {warning}"
        for queue in queues
        for warning in selectors.queue_warnings(queue, overviews[queue.pk])
    ]
