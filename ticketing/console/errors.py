"""Errors of the console: codes of the second factor."""

from django.utils.translation import gettext_lazy as _

from ticketing.core.errors import NotAllowed


class WrongCode(NotAllowed):
    code = "wrong_code"
    message = _("This code is incorrect or was already used.")
    advice = _("Take the newest one from your phone. After wrong ones, wait a moment.")


class SecondFactorMissing(NotAllowed):
    code = "second_factor_missing"
    message = _("Log in to the admin with the code from your phone first.")
