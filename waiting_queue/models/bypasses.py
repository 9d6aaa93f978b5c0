"""The bypass list: people who come in without waiting."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from waiting_queue.models.queues import SaleQueue

REASON_MAX_LENGTH = 200


class QueueBypass(models.Model):
    """Somebody whom an operator lets in without waiting, and why, until it is ended."""

    queue = models.ForeignKey(
        SaleQueue, models.CASCADE, related_name="bypasses", verbose_name=_("queue")
    )
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", verbose_name=_("person")
    )
    reason = models.CharField(_("reason"), max_length=REASON_MAX_LENGTH)
    at = models.DateTimeField(_("since"))
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        related_name="+",
        verbose_name=_("added by"),
    )
    ended_at = models.DateTimeField(_("ended"), null=True)

    class Meta:
        verbose_name = _("person who need not wait")
        verbose_name_plural = _("people who need not wait")
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["queue", "person"],
                condition=models.Q(ended_at=None),
                name="one_bypass_of_a_person_at_a_time",
            )
        ]

    def __str__(self) -> str:
        return str(self.person)
