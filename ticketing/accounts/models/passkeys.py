"""Passkeys (WebAuthn): keys in a phone, a computer or a security key."""

from typing import Any

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django_otp.models import Device


class Passkey(Device):
    """A second factor as django-otp knows them, and a log-in of its own."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    credential_id = models.CharField(max_length=400, unique=True, editable=False)
    public_key = models.BinaryField(editable=False)
    sign_count = models.BigIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(_("created"))
    last_used_at = models.DateTimeField(_("last used"), null=True, editable=False)

    class Meta:
        verbose_name = _("passkey")
        verbose_name_plural = _("passkeys")
        ordering = ["created_at"]

    def __str__(self) -> str:
        return str(self.name)

    def verify_token(self, token: Any) -> bool:
        """No code can be typed for it."""
        return False
