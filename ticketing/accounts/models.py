"""Users, their sessions and API tokens."""

import hashlib
import secrets
from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.contrib.sessions.base_session import AbstractBaseSession
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models, transaction
from django.db.models.functions import Lower
from django.db.models.signals import pre_delete
from django.dispatch import receiver
from django.utils.module_loading import import_string
from django.utils.translation import gettext_lazy as _

from ticketing.core import clock

if TYPE_CHECKING:
    from ticketing.accounts.sessions import SessionStore

PHONE = RegexValidator(r"^\+?[0-9][0-9 ()-]{6,28}$", _("Use digits, spaces and dashes only."))


class UserManager(BaseUserManager["User"]):
    @classmethod
    def normalize_email(cls, email: str | None) -> str:
        """One spelling per address, so that look-up, uniqueness and throttles can't disagree."""
        return (email or "").strip().lower()

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        if not email:
            raise ValueError("A user needs an e-mail address.")
        user = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        return self.create_user(
            email, password, **fields | {"is_staff": True, "is_superuser": True}
        )

    def get_by_natural_key(self, email: str | None) -> "User":
        return self.with_email(email).get()

    def with_email(self, email: str | None) -> "models.QuerySet[User]":
        """Uses the index on the lower-cased address; `iexact` folds case differently."""
        return self.alias(lowered=Lower("email")).filter(lowered=self.normalize_email(email))


class User(AbstractBaseUser, PermissionsMixin):
    email = models.EmailField(
        _("e-mail"),
        unique=True,
        error_messages={"unique": _("This e-mail address is already registered.")},
    )
    display_name = models.CharField(_("display name"), max_length=40)
    phone = models.CharField(_("phone"), max_length=30, blank=True, validators=[PHONE])
    is_active = models.BooleanField(
        _("active"),
        default=True,
        help_text=_("Turn off instead of deleting: this logs them out everywhere."),
    )
    is_staff = models.BooleanField(_("may use the admin"), default=False)
    date_joined = models.DateTimeField(_("joined"), default=clock.now, editable=False)

    objects: ClassVar[UserManager] = UserManager()
    _was_staff: bool | None = None
    _password: str | None

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
                violation_error_message=_("This e-mail address is already registered."),
            )
        ]

    def __str__(self) -> str:
        return self.email

    def get_short_name(self) -> str:
        """The name in the admin's header."""
        return self.display_name

    def clean(self) -> None:
        super().clean()
        self.email = type(self).objects.normalize_email(self.email)

    def validate_constraints(self, exclude: Collection[str] | None = None) -> None:
        """Show the error of the only constraint beside the e-mail field."""
        try:
            super().validate_constraints(exclude)
        except ValidationError as error:
            raise ValidationError({"email": error.messages}) from error

    @classmethod
    def from_db(cls, *args: Any, **kwargs: Any) -> "User":
        user = super().from_db(*args, **kwargs)
        user._was_staff = user.__dict__.get("is_staff")
        return user

    def save(self, *args: Any, **kwargs: Any) -> None:
        """End the sessions, which are trusted without SQL, if password, role or status changed."""
        ends_sessions = not self._state.adding and self._invalidates_sessions()
        with transaction.atomic():
            super().save(*args, **kwargs)
            if ends_sessions:
                self.end_sessions()
        self._was_staff = self.__dict__.get("is_staff")

    def _invalidates_sessions(self) -> bool:
        new_role = self._was_staff is not None and self._was_staff != self.is_staff
        return self._password is not None or not self.is_active or new_role

    def end_sessions(self) -> None:
        keys = list(self.sessions.values_list("session_key", flat=True))
        Session.get_session_store_class().end(keys)


@receiver(pre_delete, sender=User)
def end_sessions_of_deleted_user(sender: object, instance: User, **kwargs: Any) -> None:
    """Rows are deleted by cascade, their copies in Redis are not."""
    instance.end_sessions()


class Session(AbstractBaseSession):
    """A session with its user, so that all sessions of a user can be ended."""

    user = models.ForeignKey(User, models.CASCADE, null=True, related_name="sessions")

    class Meta(AbstractBaseSession.Meta):
        abstract = False

    @classmethod
    def get_session_store_class(cls) -> "type[SessionStore]":
        """Imported by the setting's name, because the store imports this module."""
        store: type[SessionStore] = import_string(f"{settings.SESSION_ENGINE}.SessionStore")
        return store


class ApiToken(models.Model):
    """Lets a program act for a user. The secret is shown once; only its hash is stored."""

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
