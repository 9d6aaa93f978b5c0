"""Change knobs of a queue."""

from argparse import ArgumentParser
from typing import Any

from waiting_queue import services
from waiting_queue.management.queue_command import QueueCommand


class Command(QueueCommand):
    help = "Change knobs, all or none: queue_set 7 admit_per_second=25 max_inside=1200"

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_event(parser)
        parser.add_argument("knobs", nargs="+", metavar="knob=value")
        self.add_audit_arguments(parser)

    def act(self, **options: Any) -> None:
        knobs = services.parse_knobs(options["knobs"])
        queue = services.set_knobs(
            event_id=options["event"], knobs=knobs, **self.audit_fields(**options)
        )
        for name in knobs:
            self.stdout.write(f"{name} = {getattr(queue, name)}")
        self.write_warnings(queue)
