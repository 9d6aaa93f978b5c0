"""Announce or enter the public value of a draw, or show it."""

from argparse import ArgumentParser
from typing import Any

from waiting_queue import services
from waiting_queue.errors import NoQueue
from waiting_queue.management.queue_command import QueueCommand
from waiting_queue.models import SaleQueue


class Command(QueueCommand):
    help = "Announce which public value takes part in the draw, or enter it; else show both."

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_event(parser)
        step = parser.add_mutually_exclusive_group()
        step.add_argument("--announce", metavar="TEXT", help="Which value; empty takes it back.")
        step.add_argument("--enter", metavar="VALUE", help="The value, now that it is known.")
        self.add_audit_arguments(parser)

    def act(self, **options: Any) -> None:
        event_id, audit = options["event"], self.audit_fields(**options)
        if options["announce"] is not None:
            source = options["announce"]
            queue = services.announce_public_value(event_id=event_id, source=source, **audit)
        elif options["enter"] is not None:
            value = options["enter"]
            queue = services.enter_public_value(event_id=event_id, value=value, **audit)
        else:
            queue = get_queue(event_id)
        self.stdout.write(f"Announced: {queue.public_value_source or 'nothing'}")
        self.stdout.write(f"Entered:   {queue.public_value or 'nothing'}")


def get_queue(event_id: int) -> SaleQueue:
    queue = SaleQueue.objects.filter(pk=event_id).first()
    if queue is None:
        raise NoQueue()
    return queue
