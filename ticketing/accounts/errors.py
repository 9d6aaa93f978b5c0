"""Errors of accounts and API tokens."""

from collections.abc import Iterable
from typing import Any, Self

from django.utils.translation import gettext_lazy as _

from ticketing.core.errors import DomainError, NotAllowed, NotLoggedIn, TooManyRequests


class LogInPaused(TooManyRequests):
    code = "log_in_paused"
    message = _("Too many wrong passwords: logging in is paused.")
    advice = _("Wait until the pause is over, or set a new password by e-mail meanwhile.")


class NewDevice(TooManyRequests):
    code = "new_device"
    message = _("Many wrong passwords were entered for this account.")
    advice = _(
        "We’ve sent a link to its e-mail address. Open it on this device, then log in. Devices "
        "that have logged in before are not affected."
    )


class WrongPassword(NotLoggedIn):
    code = "wrong_password"
    message = _("Incorrect e-mail address or password.")
    auth_header = 'Bearer realm="api"'


class BadToken(NotLoggedIn):
    """Unknown, revoked, expired, or its owner is deactivated; the caller is not told which."""

    code = "bad_token"
    message = _("This API token is not valid, or no longer.")
    advice = _("Create a new one on the developers’ page.")
    auth_header = 'Bearer realm="api", error="invalid_token"'


class EmailTaken(DomainError):
    code = "email_taken"
    status = 409
    message = _("This e-mail address is already registered.")
    advice = _("Log in instead, or set a new password by e-mail.")


class EmailNotConfirmed(NotAllowed):
    code = "email_not_confirmed"
    message = _("Please confirm your e-mail address first.")
    advice = _("Have the link sent to you from your account page, and open it.")


class IdentityNotVerified(NotAllowed):
    """Browsers are sent to the page on which one verifies, and come back to the event."""

    code = "identity_not_verified"
    message = _("This event requires a verified identity.")
    advice = _("Verify your identity once; it takes a minute.")
    page = "payments:verify"


class TooYoung(NotAllowed):
    code = "too_young"
    message = _("This event is for ages %(age)s and over.")
    advice = _("What counts is the age reached in the year of the event.")


class IdentityTaken(DomainError):
    code = "identity_taken"
    status = 409
    message = _("You have verified another account already.")
    advice = _(
        "Each person has one place and one limit, so only one account counts. Log in with that "
        "one. If you can’t, or it isn’t yours, write to us."
    )


class IdentityInUse(DomainError):
    code = "identity_in_use"
    status = 409
    message = _("Your other account still has seats for an event to come.")
    advice = _("They count for your limit. Use that account until then, or give the seats back.")


class IdentityDiffers(DomainError):
    code = "identity_differs"
    status = 409
    message = _("This account belongs to somebody else.")
    advice = _("Another person has verified it before. Use an account of your own.")


class NotVerified(DomainError):
    code = "not_verified"
    status = 409
    message = _("This account is not verified.")


class BadLink(DomainError):
    """Changed, expired, used, or somebody else's; the visitor is not told which."""

    code = "bad_link"
    message = _("This link is not valid, or no longer.")
    advice = _("Have a new one sent to you, and open the newest e-mail.")


class TooManyTokens(DomainError):
    code = "too_many_tokens"
    status = 409
    message = _("You already have %(limit)s API tokens.")
    advice = _("Revoke one that you no longer use.")


class ScopeMissing(NotAllowed):
    code = "scope_missing"
    message = _("This API token may not be used for this: it lacks the scope “%(scope)s”.")
    advice = _("Create a new one on the developers’ page.")


class WrongCode(NotAllowed):
    code = "wrong_code"
    message = _("This code is incorrect or was already used.")
    advice = _("Take the newest one from your phone. After wrong ones, wait a moment.")


class PasskeyRefused(NotAllowed):
    """Unknown, somebody else's, or its signature does not fit; the visitor is not told which."""

    code = "passkey_refused"
    message = _("This passkey can’t be used here.")
    advice = _("Try again, or log in with your password.")


class LogInTooOld(NotAllowed):
    code = "log_in_too_old"
    has_own_page = True
    message = _("This takes your password or code once more.")
    advice = _("Confirm that it is you, then try again. Nothing was changed.")


class SecondFactorMissing(NotAllowed):
    code = "second_factor_missing"
    message = _("Log in to the admin with the code from your phone first.")


class ConsentMissing(DomainError):
    """`documents`: what has to be agreed to first, each with its id, kind and version."""

    code = "consent_missing"
    status = 409
    message = _("Please read and agree to the documents that are marked as required.")
    advice = _("One of them may have changed since you opened the page.")

    @classmethod
    def to(cls, documents: Iterable[Any]) -> Self:
        named = [{"id": it.pk, "kind": it.kind, "version": it.version} for it in documents]
        return cls(documents=named)
