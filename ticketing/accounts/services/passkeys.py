"""Passkeys: registered, used to log in or as the second factor, removed.

A challenge is signed and given to the browser; it is accepted once, for its purpose and its person.
"""

import json
import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

import webauthn
from django.conf import settings
from django.core import signing
from django.core.cache import cache
from django.db import IntegrityError, transaction
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url, structs
from webauthn.helpers.exceptions import WebAuthnException

from ticketing.accounts.errors import PasskeyRefused
from ticketing.accounts.models import Passkey, SecurityEvent, User

SALT = "accounts.passkey"
SECONDS = 300
MOST = 10
VERIFIED = structs.UserVerificationRequirement.REQUIRED


def site() -> tuple[str, str]:
    """The host that passkeys belong to, and the origin of its pages."""
    address = urlsplit(settings.SITE_URL)
    return address.hostname or "", f"{address.scheme}://{address.netloc}"


def registration_options(user: User) -> dict[str, Any]:
    challenge, state = _challenge("register", user.pk)
    known = Passkey.objects.filter(user=user).values_list("credential_id", flat=True)
    options = webauthn.generate_registration_options(
        rp_id=site()[0],
        rp_name="Ticketing",
        user_id=str(user.pk).encode(),
        user_name=user.email,
        user_display_name=user.display_name,
        challenge=challenge,
        authenticator_selection=structs.AuthenticatorSelectionCriteria(
            resident_key=structs.ResidentKeyRequirement.REQUIRED, user_verification=VERIFIED
        ),
        exclude_credentials=[
            structs.PublicKeyCredentialDescriptor(id=base64url_to_bytes(each)) for each in known
        ],
    )
    return {"options": json.loads(webauthn.options_to_json(options)), "state": state}


@transaction.atomic
def register_passkey(
    *, user: User, state: str, credential: Mapping[str, Any], name: str, now: datetime
) -> Passkey:
    """Store a new passkey and end all access from before: the owner's credentials changed."""
    host, origin = site()
    try:
        proved = webauthn.verify_registration_response(
            credential=dict(credential),
            expected_challenge=_take(state, "register", user.pk),
            expected_rp_id=host,
            expected_origin=origin,
            require_user_verification=True,
        )
        if Passkey.objects.filter(user=user).count() >= MOST:
            raise PasskeyRefused()
        with transaction.atomic():
            passkey: Passkey = Passkey.objects.create(
                user=user,
                name=name[:60],
                credential_id=bytes_to_base64url(proved.credential_id),
                public_key=proved.credential_public_key,
                sign_count=proved.sign_count,
                created_at=now,
            )
    except (WebAuthnException, IntegrityError) as error:
        raise PasskeyRefused() from error
    user.end_access()
    user.record(SecurityEvent.Kind.FACTOR_ADDED, detail=passkey.name)
    return passkey


def authentication_options(user: User | None = None) -> dict[str, Any]:
    """For a log-in by anybody, or for this user to prove who they are."""
    challenge, state = _challenge("use", user.pk if user else 0)
    keys = Passkey.objects.filter(user=user) if user else Passkey.objects.none()
    options = webauthn.generate_authentication_options(
        rp_id=site()[0],
        challenge=challenge,
        allow_credentials=[
            structs.PublicKeyCredentialDescriptor(id=base64url_to_bytes(each.credential_id))
            for each in keys
        ],
        user_verification=VERIFIED,
    )
    return {"options": json.loads(webauthn.options_to_json(options)), "state": state}


def verify_passkey(
    *, state: str, credential: Mapping[str, Any], now: datetime, user: User | None = None
) -> Passkey:
    """The passkey that signed the challenge; of `user`, if somebody is logged in already."""
    challenge = _take(state, "use", user.pk if user else 0)
    found = Passkey.objects.select_related("user").filter(
        credential_id=str(credential.get("id", "")), user__is_active=True
    )
    passkey = (found.filter(user=user) if user else found).first()
    if passkey is None:
        raise PasskeyRefused()
    host, origin = site()
    try:
        proved = webauthn.verify_authentication_response(
            credential=dict(credential),
            expected_challenge=challenge,
            expected_rp_id=host,
            expected_origin=origin,
            credential_public_key=bytes(passkey.public_key),
            credential_current_sign_count=passkey.sign_count,
            require_user_verification=True,
        )
    except WebAuthnException as error:
        raise PasskeyRefused() from error
    use = {"sign_count": proved.new_sign_count, "last_used_at": now}
    Passkey.objects.filter(pk=passkey.pk).update(**use)
    return passkey


@transaction.atomic
def remove_passkey(*, user: User, pk: int) -> bool:
    """Remove one of the user's passkeys and end all access; whether it was there."""
    passkey = Passkey.objects.filter(user=user, pk=pk).first()
    if passkey is None:
        return False
    passkey.delete()
    user.end_access()
    user.record(SecurityEvent.Kind.FACTOR_REMOVED, detail=passkey.name)
    return True


def _challenge(purpose: str, user_id: int) -> tuple[bytes, str]:
    challenge = secrets.token_bytes(32)
    named = [bytes_to_base64url(challenge), purpose, user_id]
    return challenge, signing.dumps(named, salt=SALT)


def _take(state: str, purpose: str, user_id: int) -> bytes:
    """The challenge, once."""
    try:
        challenge, *named = signing.loads(state, salt=SALT, max_age=SECONDS)
    except signing.BadSignature:
        raise PasskeyRefused() from None
    if named != [purpose, user_id] or not cache.add(f"passkey:{challenge}", 1, SECONDS):
        raise PasskeyRefused()
    return base64url_to_bytes(challenge)
