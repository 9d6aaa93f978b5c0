"""Kick, block or unblock somebody."""

from argparse import ArgumentParser
from typing import Any

from waiting_queue import selectors, services
from waiting_queue.management.queue_command import QueueCommand


class Command(QueueCommand):
    help = "Move somebody out of a line; with --block for good, with --unblock let them in again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_event(parser)
        parser.add_argument("email", metavar="EMAIL", help="Address that they log in with.")
        action = parser.add_mutually_exclusive_group()
        action.add_argument("--block", metavar="WHY", help="Keep them out; they read this.")
        action.add_argument("--unblock", action="store_true", help="They may join again.")
        self.add_audit_arguments(parser)

    def act(self, **options: Any) -> None:
        user = selectors.user_with_email(options["email"])
        common = {
            "event_id": options["event"],
            "person": str(user.pk),
            **self.audit_fields(**options),
        }
        if options["unblock"]:
            services.unblock(**common)
            self.stdout.write(f"{user} may join again.")
        elif options["block"] is not None:
            was = services.block(**common | {"why": options["block"]})
            self.stdout.write(f"{user} is blocked (was: {was}).")
        else:
            self.stdout.write(f"{user} was moved out (was: {services.kick(**common)}).")
