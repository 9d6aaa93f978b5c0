"""A sale and its line as operators see them: one status, and what can be done about it."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from ticketing.accounts.models import User
from ticketing.core.errors import IllegalMove
from ticketing.events.models import Approval, Event
from ticketing.events.selectors import needs_approval
from waiting_queue.models import SaleQueue

State, Sale = SaleQueue.State, Event.State
# The sale is paused, and its line with it; also the name of the move that does so.
STOPPED = "stopped"
SOLD_OUT, OPEN_SALE, OVER, CANCELLED = "sold_out", "open_sale", "over", "cancelled"
# Event states in which nobody can have taken a seat yet.
NOT_BEGUN = (Sale.DRAFT, Sale.ANNOUNCED)
STATUSES: Mapping[str, Any] = {
    **{str(state.value): state.label for state in State},
    STOPPED: _("sale paused"),
    SOLD_OUT: Sale.SOLD_OUT.label,
    OPEN_SALE: _("on sale without a line"),
    OVER: _("sale closed"),
    CANCELLED: Sale.CANCELLED.label,
}


def sale_status(queue: SaleQueue) -> str:
    """The state of the sale and of its line in one word, a key of `STATUSES`."""
    match queue.event.state:
        case Sale.CANCELLED:
            return CANCELLED
        case Sale.CLOSED:
            return OVER
        case Sale.PAUSED if queue.state != State.SCHEDULED:
            return STOPPED
        case Sale.SOLD_OUT if queue.state in SaleQueue.RUNNING:
            return SOLD_OUT
        case Sale.ON_SALE if queue.state == State.CLOSED:
            return OPEN_SALE
    return str(queue.state)


def require_sale_move(queue: SaleQueue, to: str) -> None:
    """Refuse what can't be done to this sale now."""
    if to not in sale_moves(queue):
        before, after = STATUSES[sale_status(queue)], STATUSES[to]
        raise IllegalMove(before=str(before), after=str(after))


def move_needs_approval(queue: SaleQueue, to: str, by: User | None) -> bool:
    """Whether this person only asks for this move, and another one approves it."""
    closing = {"action": Approval.Action.CLOSE_SALE, "event_id": queue.pk}
    return to == State.CLOSED and needs_approval(**closing, by=by)


def sale_moves(queue: SaleQueue) -> list[str]:
    """Where an operator may move the sale: states of the line, and `STOPPED`."""
    event, lines = queue.event, [str(move) for move in queue.moves if move != State.SCHEDULED]
    if event.state == Sale.CANCELLED:
        return []
    if sale_status(queue) == STOPPED:
        return [str(State.OPEN), *([str(State.CLOSED)] if queue.state != State.CLOSED else [])]
    stops = event.state == Sale.ON_SALE and queue.state in SaleQueue.RUNNING
    resets = event.state in NOT_BEGUN and queue.state != State.SCHEDULED
    return [*lines, *([STOPPED] if stops else []), *([str(State.SCHEDULED)] if resets else [])]
