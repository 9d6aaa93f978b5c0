"""People: a user logs in with an e-mail address."""

import hashlib
import secrets
from datetime import datetime
from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models, transaction
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        if not email:
            raise ValueError("A user needs an e-mail address.")
        user = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        return self.create_user(email, password, **fields | {"is_staff": True, "is_superuser": True})

    def get_by_natural_key(self, email: str | None) -> "User":
        return self.get(email__iexact=email)


class User(AbstractBaseUser, PermissionsMixin):
    email = models.EmailField(
        _("e-mail"),
        unique=True,
        error_messages={"unique": _("Somebody with this e-mail address is already here.")},
    )
    display_name = models.CharField(_("display name"), max_length=40)
    phone = models.CharField(_("phone"), max_length=30, blank=True)
    is_active = models.BooleanField(
        _("active"), default=True, help_text=_("Turn off instead of deleting: this logs them out everywhere.")
    )
    is_staff = models.BooleanField(_("may use the admin"), default=False)
    date_joined = models.DateTimeField(_("joined"), default=timezone.now, editable=False)

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS = ["display_name"]

    class Meta:
        verbose_name = _("person")
        verbose_name_plural = _("people")
        ordering = ["email"]
        constraints = [
            models.UniqueConstraint(
                Lower("email"),
                name="one_person_per_email",
                violation_error_message=_("Somebody with this e-mail address is already here."),
            )
        ]

    def __str__(self) -> str:
        return self.email

    def clean(self) -> None:
        super().clean()
        self.email = type(self).objects.normalize_email(self.email)

    def save(self, *args: Any, **kwargs: Any) -> None:
        """A new password or a switched-off account ends every log-in, also where no SQL is asked."""
        ends_sessions = self.pk is not None and (self._password is not None or not self.is_active)
        super().save(*args, **kwargs)
        if ends_sessions:
            transaction.on_commit(self.end_sessions)

    def end_sessions(self) -> None:
        store = Session.get_session_store_class()()
        for key in self.sessions.values_list("session_key", flat=True):
            store.delete(key)


class Session(AbstractBaseSession):
    """A log-in, with its person, so that all of somebody's can be ended at once."""

    user = models.ForeignKey(User, models.CASCADE, null=True, related_name="sessions")

    class Meta(AbstractBaseSession.Meta):
        abstract = False

    @classmethod
    def get_session_store_class(cls) -> type:
        from ticketing.accounts.sessions import SessionStore

        return SessionStore


class ApiToken(models.Model):
    """Lets a program act for a person. Shown once; only its hash is kept."""

    PREFIX = "tk_"

    user = models.ForeignKey(
        User, models.CASCADE, related_name="api_tokens", verbose_name=_("person")
    )
    name = models.CharField(_("name"), max_length=60)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    created_at = models.DateTimeField(_("created"))
    expires_at = models.DateTimeField(_("expires"), null=True, blank=True)
    last_used_at = models.DateTimeField(_("last used"), null=True, editable=False)
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
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)
