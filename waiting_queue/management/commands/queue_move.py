"""Move a queue to another state."""

from argparse import ArgumentParser
from typing import Any

from waiting_queue import services
from waiting_queue.management.queue_command import QueueCommand
from waiting_queue.models import SaleQueue

State = SaleQueue.State
MOVES = {
    "lobby": State.LOBBY,
    "open": State.OPEN,
    "pause": State.PAUSED,
    "resume": State.OPEN,
    "drain": State.DRAINING,
    "close": State.CLOSED,
}


class Command(QueueCommand):
    help = "Open the lobby or the queue, pause, resume, drain or close it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_event(parser)
        parser.add_argument("move", choices=MOVES)
        self.add_audit_arguments(parser)

    def act(self, **options: Any) -> None:
        queue = services.move_queue(
            event_id=options["event"], to=MOVES[options["move"]], **self.audit_fields(**options)
        )
        self.stdout.write(f"Queue {queue.pk} ({queue}): {State(queue.state).label}")
        self.write_warnings(queue)
