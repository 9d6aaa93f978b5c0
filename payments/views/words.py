"""Why a payment did not come about, in words."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from payments.models import Payment

TURNED_BACK = _("The payment window was closed before anything was paid.")
# By what the saga wrote, and by the codes that card companies use most.
REASONS: dict[str, str | Promise] = {
    "closed without paying": TURNED_BACK,
    "PAY_PROCESS_CANCELED": TURNED_BACK,
    "not paid in time": _("Nobody paid before the time was up."),
    "never charged": _("The card company did not answer, and nothing was charged."),
    "cancelled at the gateway": _("The payment was cancelled at the payment service."),
    "REJECT_CARD_COMPANY": _("Your card company declined the payment."),
    "REJECT_CARD_PAYMENT": _("Your card company declined the payment."),
}
OTHERWISE = _("The payment service declined the payment.")


def why(payment: Payment) -> str | Promise:
    """Ours where we know it, else what the gateway said, else at least that."""
    return REASONS.get(payment.failure_code) or payment.failure_message or OTHERWISE
