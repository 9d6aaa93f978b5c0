"""Move a queue to another state."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from waiting_queue import selectors, services
from waiting_queue.management.queue_command import QueueCommand
from waiting_queue.models import SaleQueue
from waiting_queue.selectors import STOPPED

State = SaleQueue.State
MOVES = {
    "lobby": State.LOBBY,
    "open": State.OPEN,
    "pause": State.PAUSED,
    "resume": State.OPEN,
    "drain": State.DRAINING,
    "stop": STOPPED,
    "close": State.CLOSED,
    "reopen": State.OPEN,
    "reset": State.SCHEDULED,
}
THEN = {"nobody": True, "open-sale": False}


class Command(QueueCommand):
    help = "Open the lobby or the sale; pause, resume, drain, stop, close, reopen or reset it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_event(parser)
        parser.add_argument("move", choices=MOVES)
        parser.add_argument(
            "--then", choices=THEN, help="After closing: nobody buys, or everybody without a line."
        )
        self.add_audit_arguments(parser)

    def act(self, **options: Any) -> None:
        move, then = options["move"], options["then"]
        if (move == "close") != (then is not None):
            raise CommandError("Closing, and only closing, needs --then nobody or open-sale.")
        audit, ends = self.audit_fields(**options), THEN.get(then, True)
        services.move_sale(event_id=options["event"], to=MOVES[move], ends=ends, **audit)
        queue = SaleQueue.objects.select_related("event").get(pk=options["event"])
        status = selectors.STATUSES[selectors.sale_status(queue)]
        self.stdout.write(f"Queue {queue.pk} ({queue}): {status}")
        self.write_warnings(queue)
