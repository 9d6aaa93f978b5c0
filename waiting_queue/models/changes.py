"""The audit log of queues."""

from django.conf import settings
from django.db import models
from django.utils.timezone import localtime
from django.utils.translation import gettext_lazy as _

from waiting_queue.models.queues import NOTICE_MAX_LENGTH, SaleQueue


class QueueChange(models.Model):
    """One change of a queue: who, when, from what, to what, why. Rows are never edited."""

    queue = models.ForeignKey(
        SaleQueue, models.CASCADE, related_name="changes", verbose_name=_("queue")
    )
    at = models.DateTimeField(_("when"))
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        related_name="+",
        verbose_name=_("who"),
        help_text=_("Empty: the system itself, at the appointed time."),
    )
    what = models.CharField(_("what"), max_length=40)
    before = models.CharField(_("before"), max_length=NOTICE_MAX_LENGTH, blank=True)
    after = models.CharField(_("after"), max_length=NOTICE_MAX_LENGTH, blank=True)
    why = models.CharField(_("why"), max_length=200, blank=True)

    class Meta:
        verbose_name = _("change of a queue")
        verbose_name_plural = _("changes of queues")
        ordering = ["-at", "-id"]

    def __str__(self) -> str:
        return f"{localtime(self.at):%Y-%m-%d %H:%M:%S}"
