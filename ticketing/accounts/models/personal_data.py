"""Exports of a person's data, and the nightly purge's reports."""

from datetime import datetime
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class DataExport(models.Model):
    """Everything that is stored about a person, made by a worker, for a few days."""

    code = models.UUIDField(unique=True, default=uuid4, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="exports", verbose_name=_("person")
    )
    language = models.CharField(max_length=10, blank=True)
    asked_at = models.DateTimeField(_("asked for"))
    made_at = models.DateTimeField(_("made"), null=True)
    expires_at = models.DateTimeField(_("expires"))
    as_json = models.BinaryField(default=b"")
    as_pdf = models.BinaryField(default=b"")

    class Meta:
        verbose_name = _("export of personal data")
        verbose_name_plural = _("exports of personal data")
        ordering = ["-asked_at"]
        default_permissions = ()

    def __str__(self) -> str:
        return str(self.code)

    def is_ready(self, now: datetime) -> bool:
        return self.made_at is not None and now < self.expires_at


class PurgeRun(models.Model):
    """What one run of the purge deleted, by kind of data; `error` if it did not get to the end."""

    began_at = models.DateTimeField(_("began"))
    ended_at = models.DateTimeField(_("ended"), null=True)
    counts: Any = models.JSONField(_("deleted"), default=dict)
    error = models.CharField(_("error"), max_length=300, blank=True)

    class Meta:
        verbose_name = _("purge")
        verbose_name_plural = _("purges")
        ordering = ["-began_at"]
        default_permissions = ("view",)

    def __str__(self) -> str:
        return f"{self.began_at:%Y-%m-%d %H:%M}"
