"""Why a payment failed, in the reader's language."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from payments.models import Payment

ABORTED = _("The payment window was closed before anything was paid.")
# By the reasons of our own and the most common codes of card companies.
REASONS: dict[str, str | Promise] = {
    "closed without paying": ABORTED,
    "PAY_PROCESS_CANCELED": ABORTED,
    "not paid in time": _("The payment was not made in time."),
    "never charged": _("The card company did not answer, and nothing was charged."),
    "cancelled at the gateway": _("The payment was cancelled at the payment service."),
    "REJECT_CARD_COMPANY": _("Your card company declined the payment."),
    "REJECT_CARD_PAYMENT": _("Your card company declined the payment."),
}
UNKNOWN_REASON = _("The payment service declined the payment.")


def failure_label(payment: Payment) -> str | Promise:
    """Our text if we know the code, else the gateway's message, else a general text."""
    return REASONS.get(payment.failure_code) or payment.failure_message or UNKNOWN_REASON
