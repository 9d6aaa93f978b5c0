"""How a payment at the sandbox behaves; chosen in its window or by `testing`."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Behaviour(models.TextChoices):
    SUCCEED = "succeed", _("It succeeds")
    DECLINE = "decline", _("The card is declined at once")
    REFUSE = "refuse", _("The card is declined when it is charged")
    PENDING = "pending", _("It is decided later")
    SLOW = "slow", _("Slow: charged late, answered late")
    TIME_OUT = "time_out", _("Charged, but the answer never comes")
    VANISH = "vanish", _("Not charged, and the answer never comes")
    WRONG_AMOUNT = "wrong_amount", _("Another amount is charged")
    LOSE_WEBHOOK = "lose_webhook", _("The webhook is lost")
    SEND_TWICE = "send_twice", _("The webhook comes twice")
    SEND_LATE = "send_late", _("The webhook comes late")
    REFUND_PENDING = "refund_pending", _("The refund takes a while")
    REFUND_TIME_OUT = "refund_time_out", _("Refunded, but the answer never comes")
    REFUND_REFUSED = "refund_refused", _("The refund is refused")
    ABANDON = "abandon", _("Closed without paying")


COMMON = [Behaviour.SUCCEED, Behaviour.DECLINE]
GROUPS = {
    _("The charge"): [
        Behaviour.REFUSE,
        Behaviour.PENDING,
        Behaviour.SLOW,
        Behaviour.TIME_OUT,
        Behaviour.VANISH,
        Behaviour.WRONG_AMOUNT,
    ],
    _("The webhook"): [Behaviour.LOSE_WEBHOOK, Behaviour.SEND_TWICE, Behaviour.SEND_LATE],
    _("The refund, some day"): [
        Behaviour.REFUND_PENDING,
        Behaviour.REFUND_TIME_OUT,
        Behaviour.REFUND_REFUSED,
    ],
}
# (code, message) of behaviours that end in the window: nothing is left to confirm.
FAILURES = {
    Behaviour.ABANDON: ("PAY_PROCESS_CANCELED", _("The payment window was closed.")),
    Behaviour.DECLINE: ("REJECT_CARD_COMPANY", _("The card was declined.")),
    Behaviour.REFUSE: ("REJECT_CARD_PAYMENT", _("The card was declined.")),
}
UNANSWERED = {Behaviour.TIME_OUT, Behaviour.VANISH, Behaviour.REFUND_TIME_OUT}
SECONDS = 5.0
LONGEST = 120.0
# Longer than any caller waits: PortOne recommends a timeout of a minute.
NEVER = 70.0
WRONG_BY = 1_000
