"""Tell everybody in line something."""

from argparse import ArgumentParser
from typing import Any

from waiting_queue import services
from waiting_queue.management.operating import QueueCommand


class Command(QueueCommand):
    help = "Put up a message to everyone in line, or take it back; without either, show it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_event(parser)
        words = parser.add_mutually_exclusive_group()
        words.add_argument("message", nargs="?", metavar="MESSAGE", help="Everybody reads this.")
        words.add_argument("--clear", action="store_true", help="Take the message back.")
        self.add_signature(parser)

    def act(self, **options: Any) -> None:
        event_id, message = options["event"], "" if options["clear"] else options["message"]
        if message is None:
            notice = services.notice_of(event_id)
        else:
            signed = self.signed(**options)
            notice = services.tell_everyone(event_id=event_id, message=message, **signed).notice
        self.stdout.write(f"Everyone in line reads: {notice}" if notice else "There is no message.")
