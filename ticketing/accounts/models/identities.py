"""Verified identities: which account is a person's own, and what staff did about it."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from ticketing.core.audit import ChangeRecord


class Identity(models.Model):
    """The one account of a verified person. Nothing else about the person is stored.

    The digest is that of the person's unique value (CI), keyed: it can be compared, not read. An
    account keeps it for good. Once staff released it, another account of the person can take it.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        primary_key=True,
        related_name="identity",
        verbose_name=_("person"),
    )
    digest = models.CharField(max_length=64, editable=False)
    birth_year = models.PositiveSmallIntegerField(_("year of birth"))
    verified_at = models.DateTimeField(_("verified"))
    released_at = models.DateTimeField(_("released"), null=True)

    class Meta:
        verbose_name = _("verified identity")
        verbose_name_plural = _("verified identities")
        ordering = ["-verified_at"]
        default_permissions = ("view", "change")
        constraints = [
            models.UniqueConstraint(fields=["digest"], name="one_account_per_person"),
        ]

    def __str__(self) -> str:
        return str(self.user)


class IdentityChange(ChangeRecord):
    """An identity was verified, released by staff, or taken over by another account."""

    class What(models.TextChoices):
        VERIFIED = "verified", _("verified")
        RELEASED = "released", _("released")
        TAKEN = "taken", _("taken over by another account")

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="identity_changes",
        verbose_name=_("person"),
    )
    what = models.CharField(_("what"), max_length=8, choices=What)

    class Meta(ChangeRecord.Meta):
        verbose_name = _("change of an identity")
        verbose_name_plural = _("changes of identities")
        default_permissions = ("view",)
