"""Legal documents in versions, and who agreed to which of them."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from ticketing.core.translated import Translated


class LegalDocument(models.Model):
    """One version of a text. From its publication on it is never changed: people agreed to it."""

    class Kind(models.TextChoices):
        TERMS = "terms", _("terms of use")
        PRIVACY = "privacy", _("privacy policy")
        THIRD_PARTY = "third_party", _("provision to the organiser")
        MARKETING = "marketing", _("news by e-mail")
        SELLER = "seller", _("seller’s details")
        HELP = "help", _("help")

    # Asked for at sign-up, and again with each new version.
    REQUIRED = (Kind.TERMS, Kind.PRIVACY)
    # Asked for with each order, besides.
    OF_ORDERS = (Kind.THIRD_PARTY,)
    OPTIONAL = (Kind.MARKETING,)

    kind = models.CharField(_("document"), max_length=11, choices=Kind)
    version = models.PositiveIntegerField(_("version"), editable=False)
    title_ko = models.CharField(_("title in Korean"), max_length=120)
    title_en = models.CharField(_("title in English"), max_length=120)
    body_ko = models.TextField(
        _("text in Korean"),
        help_text=_("“# ” begins a heading, “- ” a point of a list; an empty line ends both."),
    )
    body_en = models.TextField(_("text in English"))
    published_at = models.DateTimeField(
        _("published from"), help_text=_("From then on this version is valid and can’t be changed.")
    )

    title = Translated()
    body = Translated()

    class Meta:
        verbose_name = _("legal document")
        verbose_name_plural = _("legal documents")
        ordering = ["kind", "-version"]
        constraints = [
            models.UniqueConstraint(fields=["kind", "version"], name="one_document_per_version")
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.version}"

    @property
    def is_required(self) -> bool:
        return self.kind not in self.OPTIONAL

    @property
    def kind_number(self) -> int:
        """Documents are listed in the order of `Kind`."""
        return self.Kind.values.index(self.kind)

    def is_published(self, now: datetime) -> bool:
        return self.published_at <= now

    @property
    def lines(self) -> list[str]:
        return [line.strip() for line in self.body.splitlines() if line.strip()]

    def blocks(self) -> Iterator[dict[str, Any]]:
        """The text as headings, paragraphs and lists."""
        for block in self.body.replace("\r\n", "\n").split("\n\n"):
            lines = [line.strip() for line in block.splitlines() if line.strip()]
            if lines and lines[0].startswith("# "):
                yield {"heading": lines.pop(0)[2:]}
            if lines and all(line.startswith("- ") for line in lines):
                yield {"points": [line[2:] for line in lines]}
            elif lines:
                yield {"lines": lines}


class Consent(models.Model):
    """Somebody agreed to a version of a document; withdrawn ones stay as a proof of what was."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="consents",
        verbose_name=_("person"),
    )
    document = models.ForeignKey(
        LegalDocument, models.PROTECT, related_name="consents", verbose_name=_("document")
    )
    # The code of the order for which it was given; empty: for the account.
    about = models.CharField(_("order"), max_length=12, blank=True, default="")
    given_at = models.DateTimeField(_("given"))
    withdrawn_at = models.DateTimeField(_("withdrawn"), null=True, blank=True)

    class Meta:
        verbose_name = _("consent")
        verbose_name_plural = _("consents")
        ordering = ["-given_at", "-id"]
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(
                fields=["user", "document", "about"],
                condition=models.Q(withdrawn_at__isnull=True),
                name="a_consent_is_given_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.document_id}"
