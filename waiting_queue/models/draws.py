"""The draw that gives the people in the lobby their numbers."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from waiting_queue.models.queues import SaleQueue


class QueueDraw(models.Model):
    """The draw of a lobby: its seed, and the people in it in the order drawn."""

    queue = models.OneToOneField(
        SaleQueue, models.CASCADE, related_name="draw", verbose_name=_("queue"), primary_key=True
    )
    at = models.DateTimeField(_("when"))
    seed = models.CharField(_("seed"), max_length=64)
    shuffled = models.BooleanField(_("drawn by lot"), default=True)
    first_number = models.BigIntegerField(_("first number"), default=0)
    # In drawn order; saved before anybody gets a number, so that a crashed draw resumes unchanged.
    people = models.JSONField(_("people"), null=True)
    finished_at = models.DateTimeField(_("finished"), null=True)

    class Meta:
        verbose_name = _("draw")
        verbose_name_plural = _("draws")

    def __str__(self) -> str:
        return str(self.queue)
