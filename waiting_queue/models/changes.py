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
