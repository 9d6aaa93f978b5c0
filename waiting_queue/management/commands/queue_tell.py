"""Set, remove or show the message to everyone in line."""

from argparse import ArgumentParser
from typing import Any

from waiting_queue import selectors, services
from waiting_queue.management.queue_command import QueueCommand


class Command(QueueCommand):
    help = "Put up a message to everyone in line, or take it back; without either, show it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_event(parser)
        source = parser.add_mutually_exclusive_group()
        source.add_argument("message", nargs="?", metavar="MESSAGE", help="Everybody reads this.")
        source.add_argument("--clear", action="store_true", help="Take the message back.")
        self.add_audit_arguments(parser)

    def act(self, **options: Any) -> None:
        event_id, message = options["event"], "" if options["clear"] else options["message"]
        if message is None:
            notice = selectors.current_notice(event_id)
        else:
            audit = self.audit_fields(**options)
            notice = services.set_notice(event_id=event_id, message=message, **audit).notice
        self.stdout.write(f"Everyone in line reads: {notice}" if notice else "There is no message.")
