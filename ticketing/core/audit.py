"""The change history that every app keeps: who changed what, when and why."""

from django.conf import settings
from django.db import models
from django.utils.timezone import localtime
from django.utils.translation import gettext_lazy as _


class ChangeRecord(models.Model):
    """One change. Written in the same transaction as the change, never edited.

    Subclasses point at the changed object and add `before` and `after` as long as their values.
    """

    at = models.DateTimeField(_("when"))
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        related_name="+",
        verbose_name=_("who"),
        help_text=_("Empty: the system itself."),
    )
    why = models.CharField(_("why"), max_length=200, blank=True)

    class Meta:
        abstract = True
        ordering = ["-at", "-id"]

    def __str__(self) -> str:
        return f"{localtime(self.at):%Y-%m-%d %H:%M:%S}"
