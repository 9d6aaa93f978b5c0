"""Labels for the change rows of reservations, standby lists and tickets.

Rows store codes; older ones store English. Unknown values are shown as they are.
"""

import re

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from reservations.models import Reservation, StandbyEntry, Ticket, TicketChange
from ticketing.core.labels import seats_label

What = TicketChange.What
RESERVATIONS = {str(state.value): state.label for state in Reservation.State}
STANDBY = {str(state.value): state.label for state in StandbyEntry.State}
TICKETS = {str(state.value): state.label for state in Ticket.State}
# These store states; all others store codes, names, addresses and doors.
STATE_CHANGES = (What.SET_ASIDE, What.GIVEN_BACK, What.VOIDED)
# "3", or "3 seats" in older rows.
SEAT_COUNT = re.compile(r"(\d+)(?: seats)?")
SALE_OVER = _("the sale is over")
REASONS: dict[str, str | Promise] = {
    "sale_over": SALE_OVER,
    "the sale is over": SALE_OVER,
    "blocked": _("blocked"),
}


def reservation_state_label(state: str) -> str:
    return str(RESERVATIONS.get(state, state))


def standby_value_label(value: str) -> str:
    """A state of an entry, or a number of seats."""
    if counted := SEAT_COUNT.fullmatch(value):
        return seats_label(int(counted[1]))
    return str(STANDBY.get(value, value))


def standby_reason_label(why: str) -> str:
    return str(REASONS.get(why, why))


def ticket_value_label(change: TicketChange, value: str) -> str:
    return str(TICKETS.get(value, value)) if change.what in STATE_CHANGES else value
