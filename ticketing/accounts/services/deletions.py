"""What a deleted account leaves behind: a row without anything that names the person."""

from datetime import datetime
from secrets import token_hex

from django.contrib.admin.models import LogEntry
from django.contrib.auth.hashers import make_password
from django.contrib.contenttypes.models import ContentType
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from ticketing.accounts.models import LegalDocument, Passkey, SecurityEvent, User
from ticketing.accounts.services.consents import withdraw_consents
from ticketing.core.mails import UNDELIVERABLE

NOBODY = "—"
DOMAIN = f"deleted{UNDELIVERABLE}"


def pseudonymise_account(*, user: User, now: datetime) -> None:
    """End all access and consents, and empty the row. In the transaction that locked it.

    Written without `save()`, which would mail about the new address and the lost access.
    """
    user.end_access()
    withdraw_consents(user_id=user.pk, kinds=LegalDocument.Kind.values, now=now)
    for factors in (TOTPDevice, StaticDevice, Passkey):
        factors.objects.filter(user=user).delete()
    user.exports.all().delete()
    user.api_tokens.all().delete()
    user.groups.clear()
    user.user_permissions.clear()
    user.security_events.update(mail_to="", mail_due_at=None, detail="", origin="")
    SecurityEvent.record(user, SecurityEvent.Kind.DELETED)
    kind = ContentType.objects.get_for_model(User)
    LogEntry.objects.filter(content_type=kind, object_id=str(user.pk)).update(object_repr=NOBODY)
    User.objects.filter(pk=user.pk).update(
        email=f"{user.pk}-{token_hex(4)}@{DOMAIN}",
        email_confirmed_at=None,
        new_email="",
        display_name=NOBODY,
        phone="",
        password=make_password(None),
        last_login=None,
        is_active=False,
        deleted_at=now,
    )


def anonymous_account() -> User:
    """Owns the orders of people who were deleted long ago; nobody can log in to it."""
    user, _ = User.objects.get_or_create(
        email=f"anonymous@{DOMAIN}",
        defaults={
            "display_name": NOBODY,
            "is_active": False,
            "password": make_password(None),
        },
    )
    return user
