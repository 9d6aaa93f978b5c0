"""Move somebody out of a line."""

from argparse import ArgumentParser
from typing import Any

from waiting_queue import services
from waiting_queue.management.operating import QueueCommand


class Command(QueueCommand):
    help = "Move somebody out of a line; with --block for good, with --unblock let them in again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_event(parser)
        parser.add_argument("email", metavar="EMAIL", help="Address that they log in with.")
        deeds = parser.add_mutually_exclusive_group()
        deeds.add_argument("--block", metavar="WHY", help="Keep them out; they read this.")
        deeds.add_argument("--unblock", action="store_true", help="They may join again.")
        self.add_signature(parser)

    def act(self, **options: Any) -> None:
        user = services.person_with_email(options["email"])
        whom = {"event_id": options["event"], "person": str(user.pk), **self.signed(**options)}
        if options["unblock"]:
            services.unblock(**whom)
            self.stdout.write(f"{user} may join again.")
        elif options["block"] is not None:
            was = services.block(**whom | {"why": options["block"]})
            self.stdout.write(f"{user} is blocked (was: {was}).")
        else:
            self.stdout.write(f"{user} was moved out (was: {services.kick(**whom)}).")
