"""API tokens and their scopes."""

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import models
from django.utils.translation import gettext_lazy as _

from ticketing.accounts.models.users import User

TOKEN_LASTS = timedelta(days=90)


class Scope(models.TextChoices):
    """What an API token may be used for."""

    READ = "read", _("read")
    BUY = "buy", _("queue, buy, give back")
    DOOR = "door", _("check tickets in")
    OPERATE = "operate", _("operate the site")

    @classmethod
    def of_fans(cls) -> set[str]:
        return {cls.READ, cls.BUY}

    @classmethod
    def joined(cls, scopes: Iterable[str]) -> str:
        """As stored: separated by spaces, each once."""
        wanted = set(scopes)
        return " ".join(scope.value for scope in cls if scope in wanted)


class ApiToken(models.Model):
    """Lets a program act for a user. The secret is shown once; only its hash is stored."""

    PREFIX = "tk_"

    user = models.ForeignKey(
        User, models.CASCADE, related_name="api_tokens", verbose_name=_("person")
    )
    name = models.CharField(_("name"), max_length=60)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    scopes = models.CharField(
        _("may"), max_length=40, db_default="read buy", help_text=_("Separated by spaces.")
    )
    has_second_factor = models.BooleanField(
        _("created with a second factor"), default=False, db_default=False, editable=False
    )
    created_at = models.DateTimeField(_("created"))
    created_from = models.CharField(
        _("created from"), max_length=45, blank=True, default="", db_default="", editable=False
    )
    expires_at = models.DateTimeField(_("expires"))
    last_used_at = models.DateTimeField(_("last used"), null=True, editable=False)
    last_used_from = models.CharField(
        _("last used from"), max_length=45, blank=True, default="", db_default="", editable=False
    )
    revoked_at = models.DateTimeField(_("revoked"), null=True, editable=False)

    class Meta:
        verbose_name = _("API token")
        verbose_name_plural = _("API tokens")
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.name

    @classmethod
    def make_secret(cls) -> str:
        return cls.PREFIX + secrets.token_urlsafe(32)

    @staticmethod
    def digest_of(secret: str) -> str:
        return hashlib.sha256(secret.encode()).hexdigest()

    def is_live(self, now: datetime) -> bool:
        return self.revoked_at is None and now < self.expires_at

    def allows(self, scope: str) -> bool:
        return scope in self.scopes.split()

    @property
    def scope_labels(self) -> list[str]:
        return [str(Scope(scope).label) for scope in self.scopes.split()]
