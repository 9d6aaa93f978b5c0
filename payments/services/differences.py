"""Differences that a reconciliation found: stored as facts, worded in the reader's language."""

from dataclasses import dataclass, field
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from payments.models import Payment
from reservations.models import Reservation
from ticketing.core.money import money

LABELS: dict[str, str | Promise] = {
    "forgotten": _("is “%(payment)s”, and nobody looks at it"),
    "not_compared": _("could not be compared: %(code)s"),
    "kept": _("we kept %(ours)s, the gateway %(theirs)s"),
    "seats_gone": _("is paid, but %(order)s is “%(reservation)s”"),
    "unheard_of": _("the gateway took %(theirs)s, and we know nothing of it"),
    "not_listed": _("the gateway could not be asked for its payments: %(code)s"),
    "not_paid": _("is confirmed, but no payment vouches for it"),
}
AMOUNTS = ("ours", "theirs")
STATES: dict[str, Any] = {"payment": Payment.State, "reservation": Reservation.State}


@dataclass(frozen=True)
class Difference:
    """`what` names the kind of difference; `facts` are the values of its label."""

    number: str
    what: str
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """A row of an older release has its text in `what`."""
        if self.what not in LABELS:
            return self.what
        return str(LABELS[self.what]) % {name: self._value(name) for name in self.facts}

    def _value(self, name: str) -> str:
        value = self.facts[name]
        if name in AMOUNTS:
            return money(value, self.facts["currency"])
        return str(STATES[name](value).label if name in STATES else value)
