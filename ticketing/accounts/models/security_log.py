"""The security log: what happened to accounts, and what still has to be mailed to their owners."""

from typing import Any

from django.conf import settings
from django.db import models
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from ticketing.core import clock


class SecurityEvent(models.Model):
    """Written with the change itself, in its transaction; the mail follows (`mail_due_at`)."""

    class Kind(models.TextChoices):
        SIGNED_UP = "signed_up", _("signed up")
        LOGGED_IN = "logged_in", _("logged in")
        LOG_IN_FAILED = "log_in_failed", _("failed to log in")
        LOG_INS_SLOWED = "log_ins_slowed", _("log-ins slowed down")
        PASSWORD_CHANGED = "password_changed", _("password changed")
        EMAIL_CONFIRMED = "email_confirmed", _("address confirmed")
        EMAIL_CHANGE_ASKED = "email_change_asked", _("new address entered")
        EMAIL_CHANGED = "email_changed", _("address changed")
        TOKEN_CREATED = "token_created", _("API token created")
        TOKEN_REVOKED = "token_revoked", _("API token revoked")
        FACTOR_ADDED = "factor_added", _("second factor set up")
        FACTOR_REMOVED = "factor_removed", _("second factor removed")
        SESSION_ENDED = "session_ended", _("one session ended")
        LOGGED_OUT = "logged_out", _("logged out on all devices")
        ROLE_CHANGED = "role_changed", _("role changed")
        DEACTIVATED = "deactivated", _("account deactivated")
        IDENTITY_VERIFIED = "identity_verified", _("identity verified")
        IDENTITY_RELEASED = "identity_released", _("identity released")
        DATA_EXPORTED = "data_exported", _("personal data exported")
        DELETED = "deleted", _("account deleted")

    MAILED = frozenset(Kind) - {
        Kind.SIGNED_UP,
        Kind.LOGGED_IN,
        Kind.LOG_IN_FAILED,
        Kind.EMAIL_CONFIRMED,
        Kind.SESSION_ENDED,
        Kind.DEACTIVATED,
        Kind.DATA_EXPORTED,
        Kind.DELETED,
    }

    at = models.DateTimeField(_("when"), db_index=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        related_name="security_events",
        verbose_name=_("person"),
    )
    kind = models.CharField(_("what"), max_length=20, choices=Kind)
    origin = models.CharField(_("origin"), max_length=45, blank=True)
    detail = models.CharField(_("detail"), max_length=200, blank=True)
    language = models.CharField(max_length=10, blank=True)
    mail_to = models.EmailField(_("mail to"), blank=True)
    mail_due_at = models.DateTimeField(_("mail due"), null=True)

    class Meta:
        verbose_name = _("security event")
        verbose_name_plural = _("security log")
        ordering = ["-at", "-pk"]
        indexes = [
            models.Index(
                fields=["mail_due_at"],
                name="security_mail_due",
                condition=models.Q(mail_due_at__isnull=False),
            )
        ]

    def __str__(self) -> str:
        return str(self.get_kind_display())

    @classmethod
    def record(
        cls, user: Any, kind: str, *, origin: str = "", detail: str = "", mail_to: str = ""
    ) -> None:
        """`mail_to`: by default the owner's address, if events of this kind are mailed."""
        now, is_mailed = clock.now(), kind in cls.MAILED
        cls.objects.create(
            at=now,
            user=user,
            kind=kind,
            origin=origin,
            detail=detail[:200],
            language=get_language() or "",
            mail_to=(mail_to or user.email) if is_mailed else "",
            mail_due_at=now if is_mailed else None,
        )
