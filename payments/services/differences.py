"""What the books disagree in: kept as facts, said in the reader's words."""

from dataclasses import dataclass, field
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from payments.models import Payment
from reservations.models import Reservation
from ticketing.core.money import money

WORDS: dict[str, str | Promise] = {
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
    """What is not as it should be, for an operator to read."""

    number: str
    what: str
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """What an older release wrote down is its words already."""
        if self.what not in WORDS:
            return self.what
        return str(WORDS[self.what]) % {name: self._said(name) for name in self.facts}

    def _said(self, name: str) -> str:
        value = self.facts[name]
        if name in AMOUNTS:
            return money(value, self.facts["currency"])
        return str(STATES[name](value).label if name in STATES else value)
