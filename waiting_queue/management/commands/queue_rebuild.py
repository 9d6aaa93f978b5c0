"""Rebuild a line from the journal."""

from argparse import ArgumentParser
from typing import Any

from waiting_queue import services
from waiting_queue.management.queue_command import QueueCommand


class Command(QueueCommand):
    help = "Put a line up again from the journal, everybody with their number."

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_event(parser)
        self.add_audit_arguments(parser)

    def act(self, **options: Any) -> None:
        count = services.rebuild_queue_on_request(
            event_id=options["event"], **self.audit_fields(**options)
        )
        self.stdout.write(f"Queue {options['event']}: rebuilt, {count} people are known.")
