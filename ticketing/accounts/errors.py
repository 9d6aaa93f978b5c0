"""Errors of accounts and API tokens."""

from django.utils.translation import gettext_lazy as _

from ticketing.core.errors import DomainError, NotLoggedIn, TooManyRequests


class LogInPaused(TooManyRequests):
    code = "log_in_paused"
    message = _("Too many wrong passwords: logging in is paused.")
    advice = _("Wait until the pause is over, or set a new password by e-mail meanwhile.")


class WrongPassword(NotLoggedIn):
    code = "wrong_password"
    message = _("Incorrect e-mail address or password.")
    auth_header = 'Bearer realm="api"'


class BadToken(NotLoggedIn):
    """Unknown, revoked, expired, or its owner is deactivated; the caller is not told which."""

    code = "bad_token"
    message = _("This API token is not valid, or no longer.")
    advice = _("Create a new one on your account page.")
    auth_header = 'Bearer realm="api", error="invalid_token"'


class EmailTaken(DomainError):
    code = "email_taken"
    status = 409
    message = _("This e-mail address is already registered.")
    advice = _("Log in instead, or set a new password by e-mail.")


class TooManyTokens(DomainError):
    code = "too_many_tokens"
    status = 409
    message = _("You already have %(limit)s API tokens.")
    advice = _("Revoke one that you no longer use.")
