"""Users and their sessions."""

import hashlib
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, ClassVar

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.contrib.sessions.base_session import AbstractBaseSession
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models, transaction
from django.db.models.functions import Lower, Now
from django.db.models.signals import pre_delete
from django.dispatch import receiver
from django.utils.module_loading import import_string
from django.utils.translation import gettext_lazy as _

from ticketing.accounts.models.security_log import SecurityEvent
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
        """Made by whoever can run commands here: there is no mail to wait for."""
        powers = {"is_staff": True, "is_superuser": True, "email_confirmed_at": clock.now()}
        return self.create_user(email, password, **powers | fields)

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
    email_confirmed_at = models.DateTimeField(
        _("address confirmed"), null=True, blank=True, editable=False
    )
    new_email = models.EmailField(
        _("new address"),
        blank=True,
        default="",
        db_default="",
        editable=False,
        help_text=_("Takes effect as soon as it is confirmed."),
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
    # The row stays as long as orders refer to it, without anything that names the person.
    deleted_at = models.DateTimeField(_("deleted"), null=True, blank=True, editable=False)

    objects: ClassVar[UserManager] = UserManager()
    # Role and address as they are in the database; empty for a row that is not there yet.
    _stored: dict[str, Any] = {}
    _password: str | None
    # Where a change comes from, for the security log; set by views.
    changed_from: str = ""

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

    @property
    def is_confirmed(self) -> bool:
        """Whether the address is theirs."""
        return self.email_confirmed_at is not None

    @property
    def birth_year(self) -> int:
        """The year of birth of the verified person; 0: nobody has verified the account."""
        identity = getattr(self, "identity", None)
        return identity.birth_year if identity and identity.released_at is None else 0

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
        user._remember_stored()
        return user

    def save(self, *args: Any, **kwargs: Any) -> None:
        """End all access if password, address, role or status changed."""
        ends_access = not self._state.adding and self._changes_credentials()
        has_new_password = self._password is not None  # which saving forgets
        with transaction.atomic():
            super().save(*args, **kwargs)
            if ends_access:
                self.end_access()
                self._record_changes(has_new_password)
        self._remember_stored()

    def _remember_stored(self) -> None:
        self._stored = {
            name: self.__dict__[name] for name in ("is_staff", "email") if name in self.__dict__
        }

    def _changes_credentials(self) -> bool:
        changed = any(self.__dict__[name] != value for name, value in self._stored.items())
        return self._password is not None or not self.is_active or changed

    def _record_changes(self, has_new_password: bool) -> None:
        """Here and not in the services, so that no way to change them escapes the log."""
        stored, kinds = self._stored, SecurityEvent.Kind
        old = stored.get("email", self.email)
        if has_new_password:
            self.record(kinds.PASSWORD_CHANGED)
        if old != self.email:
            self.record(kinds.EMAIL_CHANGED, mail_to=old)
            self.record(kinds.EMAIL_CHANGED)
        if stored.get("is_staff", self.is_staff) != self.is_staff:
            self.record(kinds.ROLE_CHANGED)
        if not self.is_active:
            self.record(kinds.DEACTIVATED)

    def record(self, kind: str, *, detail: str = "", mail_to: str = "") -> None:
        """Write what happened to the security log, which is mailed to the owner."""
        SecurityEvent.record(self, kind, detail=detail, mail_to=mail_to, origin=self.changed_from)

    def end_access(self) -> None:
        """End the sessions, which are trusted without SQL, and the API tokens."""
        self.end_sessions()
        self.api_tokens.filter(revoked_at=None).update(revoked_at=clock.now())

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
    created_at = models.DateTimeField(default=clock.now, db_default=Now())
    address = models.CharField(max_length=45, blank=True, default="", db_default="")
    agent = models.CharField(max_length=200, blank=True, default="", db_default="")

    class Meta(AbstractBaseSession.Meta):
        abstract = False

    @classmethod
    def get_session_store_class(cls) -> "type[SessionStore]":
        """Imported by the setting's name, because the store imports this module."""
        store: type[SessionStore] = import_string(f"{settings.SESSION_ENGINE}.SessionStore")
        return store

    @property
    def public_id(self) -> str:
        """Names the session on pages, where its key must not be."""
        return hashlib.sha256(self.session_key.encode()).hexdigest()[:20]
