"""Restore a line from the journal."""

from argparse import ArgumentParser
from typing import Any

from waiting_queue import services
from waiting_queue.management.operating import QueueCommand


class Command(QueueCommand):
    help = "Put a line up again from the journal, everybody with their number."

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_event(parser)
        self.add_signature(parser)

    def act(self, **options: Any) -> None:
        count = services.restore_line(event_id=options["event"], **self.signed(**options))
        self.stdout.write(f"Queue {options['event']}: rebuilt, {count} people are known.")
