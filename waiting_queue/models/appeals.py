"""Appeals of people who were blocked, or moved to the end of the line."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from ticketing.core.states import Lifecycle
from waiting_queue.models.queues import SaleQueue

APPEAL_MAX_LENGTH = 500


class BlockAppeal(Lifecycle):
    """The message of such a person to the organiser, and the operator's answer."""

    class State(models.TextChoices):
        OPEN = "open", _("waits for an answer")
        LIFTED = "lifted", _("granted")
        REFUSED = "refused", _("refused")

    MOVES = {State.OPEN: {State.LIFTED, State.REFUSED}, State.LIFTED: set(), State.REFUSED: set()}

    queue = models.ForeignKey(
        SaleQueue, models.CASCADE, related_name="appeals", verbose_name=_("queue")
    )
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", verbose_name=_("person")
    )
    at = models.DateTimeField(_("when"))
    words = models.CharField(_("words"), max_length=APPEAL_MAX_LENGTH)
    state = models.CharField(_("state"), max_length=7, choices=State, default=State.OPEN)
    answer = models.CharField(_("answer"), max_length=200, blank=True)
    answered_at = models.DateTimeField(_("answered"), null=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        related_name="+",
        verbose_name=_("answered by"),
    )

    class Meta:
        verbose_name = _("appeal")
        verbose_name_plural = _("appeals")
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["queue", "person"],
                condition=models.Q(state="open"),
                name="one_open_appeal_at_a_time",
            )
        ]

    def __str__(self) -> str:
        return self.words
