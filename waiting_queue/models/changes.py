"""The audit log of queues."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from ticketing.core.audit import ChangeRecord
from waiting_queue.models.queues import NOTICE_MAX_LENGTH, SaleQueue


class QueueChange(ChangeRecord):
    """One change of a queue: who, when, from what, to what, why. Rows are never edited."""

    queue = models.ForeignKey(
        SaleQueue, models.CASCADE, related_name="changes", verbose_name=_("queue")
    )
    what = models.CharField(_("what"), max_length=40)
    before = models.CharField(_("before"), max_length=NOTICE_MAX_LENGTH, blank=True)
    after = models.CharField(_("after"), max_length=NOTICE_MAX_LENGTH, blank=True)

    class Meta(ChangeRecord.Meta):
        verbose_name = _("change of a queue")
        verbose_name_plural = _("changes of queues")
        permissions = [("export_evidence", _("Can export evidence about people in a line"))]
        # Whether somebody is blocked is asked before each payment.
        indexes = [
            models.Index(fields=["queue", "what"], name="changes_of_a_queue"),
            models.Index(fields=["queue", "-at", "-id"], name="changes_of_a_queue_by_time"),
        ]
