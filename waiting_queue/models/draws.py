"""The draw that gives the people in the lobby their numbers."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from waiting_queue.models.queues import SaleQueue


class QueueDraw(models.Model):
    """The draw of a lobby: who was in it, the seed that follows, and the order that was drawn."""

    queue = models.OneToOneField(
        SaleQueue, models.CASCADE, related_name="draw", verbose_name=_("queue"), primary_key=True
    )
    at = models.DateTimeField(_("when"))
    # Derived from the queue's secret, the lobby and the public value once the lobby is fixed.
    seed = models.CharField(_("seed"), max_length=64, blank=True, default="")
    # Empty for draws of earlier releases, whose seed was the secret itself.
    lobby_sha256 = models.CharField(
        _("hash of the lobby"), max_length=64, blank=True, default="", db_default=""
    )
    shuffled = models.BooleanField(_("drawn by lot"), default=True)
    first_number = models.BigIntegerField(_("first number"), default=0)
    # Saved as soon as the draw begins, then in drawn order before anybody gets a number: a crashed
    # draw resumes unchanged.
    people = models.JSONField(_("people"), null=True)
    finished_at = models.DateTimeField(_("finished"), null=True)

    class Meta:
        verbose_name = _("draw")
        verbose_name_plural = _("draws")
        constraints = [
            # A process of the previous release, to which the secret looks empty, draws nothing.
            models.CheckConstraint(
                condition=models.Q(people__isnull=True)
                | ~models.Q(seed="")
                | ~models.Q(lobby_sha256=""),
                name="nothing_is_drawn_without_a_seed",
            ),
        ]

    def __str__(self) -> str:
        return str(self.queue)


class MinuteDraw(models.Model):
    """The draw of those who came in one minute. Minutes without newcomers are not counted."""

    queue = models.ForeignKey(
        SaleQueue, models.CASCADE, related_name="minute_draws", verbose_name=_("queue")
    )
    minute = models.PositiveIntegerField(_("minute"))
    at = models.DateTimeField(_("when"))
    first_number = models.BigIntegerField(_("first number"))
    # So many numbers are reserved: for everybody who was there when the minute ended.
    size = models.PositiveIntegerField(_("people"))
    # Saved before the seed is derived, then in drawn order before anybody gets a number.
    people = models.JSONField(_("people"), null=True)
    entries_sha256 = models.CharField(_("hash of the entries"), max_length=64, blank=True)
    # Not before the order is saved; then it is published, as the seed is.
    secret = models.CharField(_("secret"), max_length=64, blank=True)
    seed = models.CharField(_("seed"), max_length=64, blank=True)
    finished_at = models.DateTimeField(_("finished"), null=True)

    class Meta:
        verbose_name = _("draw of a minute")
        verbose_name_plural = _("draws of minutes")
        ordering = ["queue_id", "minute"]
        constraints = [
            models.UniqueConstraint(fields=["queue", "minute"], name="a_minute_is_drawn_once"),
        ]

    def __str__(self) -> str:
        return f"{self.queue_id}: {self.minute}"
