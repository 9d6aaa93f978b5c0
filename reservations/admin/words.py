"""The history of reservations, standby lists and tickets in the reader's words.

Rows keep facts; older ones keep some English. What can't be read is shown as it is.
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
# These note states; all others note codes, names, addresses and doors.
MOVES = (What.SET_ASIDE, What.GIVEN_BACK, What.VOIDED)
# "3", and as it was written before: "3 seats".
COUNTED = re.compile(r"(\d+)(?: seats)?")
OVER = _("the sale is over")
WHYS: dict[str, str | Promise] = {
    "sale_over": OVER,
    "the sale is over": OVER,
    "blocked": _("blocked"),
}


def reservation_words(state: str) -> str:
    return str(RESERVATIONS.get(state, state))


def standby_words(value: str) -> str:
    """How somebody stands on the list, or for how many seats."""
    if counted := COUNTED.fullmatch(value):
        return seats_label(int(counted[1]))
    return str(STANDBY.get(value, value))


def standby_why(why: str) -> str:
    return str(WHYS.get(why, why))


def ticket_words(change: TicketChange, value: str) -> str:
    return str(TICKETS.get(value, value)) if change.what in MOVES else value
