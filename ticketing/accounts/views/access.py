"""What the views of accounts share."""

from typing import Any, cast

from django.contrib.auth.mixins import LoginRequiredMixin
from django.http import HttpRequest
from django.views.generic import FormView

from ticketing.accounts.models import User

PASSWORD_BACKEND = "django.contrib.auth.backends.ModelBackend"  # noqa: S105


def current_user(request: HttpRequest) -> User:
    """The logged-in user, on pages that require a log-in."""
    return cast(User, request.user)


class AsksIdentity(LoginRequiredMixin, FormView):
    """A page with an `IdentityForm`."""

    def get_form_kwargs(self) -> dict[str, Any]:
        own = {"user": current_user(self.request), "session": self.request.session}
        return super().get_form_kwargs() | own
