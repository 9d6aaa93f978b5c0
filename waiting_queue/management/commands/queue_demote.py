"""Move a group of people to the end of a line."""

import sys
from argparse import ArgumentParser, FileType
from typing import Any

from waiting_queue import selectors, services
from waiting_queue.management.queue_command import QueueCommand


class Command(QueueCommand):
    help = "Move people to the end of a line; they read the reason and may appeal."

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_event(parser)
        parser.add_argument(
            "people",
            type=FileType("r", encoding="utf-8"),
            default=sys.stdin,
            nargs="?",
            help="File of e-mail addresses, #numbers, #first-#last or account ids; or stdin.",
        )
        parser.add_argument("--why", required=True, help="They read this.")
        parser.add_argument("--by", default="", metavar="EMAIL", help="Operator who does this.")

    def act(self, **options: Any) -> None:
        event_id, why = options["event"], options["why"]
        listed = selectors.people_listed(event_id=event_id, text=options["people"].read())
        audit = self.audit_fields(**options) | {"why": why}
        moved = services.demote_people(event_id=event_id, people=listed.people, **audit)
        self.stdout.write(f"{len(moved)} of {len(listed.people)} people were moved to the end.")
        for entry in listed.unknown:
            self.stderr.write(f"Nobody is known by: {entry}")
