"""Timeline notes and states of a payment in the reader's language; free text stays as written."""

import re

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from payments.models import Payment

STATES = {str(state.value): state.label for state in Payment.State}
NOTES: dict[str, str | Promise] = {
    "another amount was charged": gettext_lazy("another amount was charged"),
    "cancelled at the gateway": gettext_lazy("cancelled at the gateway"),
    "cancelled by the fan": gettext_lazy("cancelled by the fan"),
    "charged too late": gettext_lazy("charged too late"),
    "closed without paying": gettext_lazy("closed without paying"),
    "declined": gettext_lazy("declined"),
    "checked by an operator": gettext_lazy("checked by an operator"),
    "never charged": gettext_lazy("never charged"),
    "not paid in time": gettext_lazy("not paid in time"),
    "paid through a test channel": gettext_lazy("paid through a test channel"),
    "refunded at the gateway": gettext_lazy("refunded at the gateway"),
    "the event was cancelled": gettext_lazy("the event was cancelled"),
    "the seats were gone": gettext_lazy("the seats were gone"),
}
# "refund refused: …", and its form in older rows.
REFUSED = re.compile(r"(?:refund refused|the refund was refused): (.*)", re.DOTALL)


def state_label(state: str) -> str:
    return str(STATES.get(state, state))


def note_label(note: str) -> str:
    """Also for reasons of refunds; messages of the gateway stay as they are."""
    if refused := REFUSED.fullmatch(note):
        return _("the refund was refused: %(words)s") % {"words": refused[1]}
    return str(NOTES.get(note, note))
