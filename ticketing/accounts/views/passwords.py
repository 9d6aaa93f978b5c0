"""Passwords: change, and reset by mail."""

from typing import Any

from axes.handlers.proxy import AxesProxyHandler
from axes.helpers import get_client_ip_address
from django.contrib.auth import views
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.messages.views import SuccessMessageMixin
from django.forms import BaseForm
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse_lazy
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from ticketing.accounts import forms, rate_limits, services, tasks
from ticketing.accounts.models import User
from ticketing.core import clock
from ticketing.core.throttle import client_address


class PasswordReset(views.PasswordResetView):
    """Does the same work whether or not the address is known; the task looks it up."""

    template_name = "accounts/password_reset.html"
    form_class = forms.PasswordResetForm
    success_url = reverse_lazy("accounts:password_reset_done")

    def form_valid(self, form: BaseForm) -> HttpResponse:
        email = User.objects.normalize_email(form.cleaned_data["email"])
        rate_limits.RESET_FROM.count(client_address(self.request))
        rate_limits.RESET_FOR.count(email)
        tasks.mail_password_reset.delay(email, get_language())
        return HttpResponseRedirect(str(self.success_url))


class PasswordResetDone(views.PasswordResetDoneView):
    template_name = "accounts/password_reset_done.html"


class PasswordResetConfirm(views.PasswordResetConfirmView):
    template_name = "accounts/password_reset_confirm.html"
    success_url = reverse_lazy("accounts:password_reset_complete")

    def form_valid(self, form: SetPasswordForm) -> HttpResponse:
        """A reset by mail confirms the address, and ends the pause after wrong passwords."""
        form.user.changed_from = client_address(self.request)
        response = super().form_valid(form)
        services.confirm_by_reset(user=form.user, now=clock.now())
        AxesProxyHandler.reset_attempts(
            username=User.objects.normalize_email(form.user.email),
            ip_address=get_client_ip_address(self.request),
        )
        return response


class PasswordResetComplete(views.PasswordResetCompleteView):
    template_name = "accounts/password_reset_complete.html"


class PasswordChange(SuccessMessageMixin, views.PasswordChangeView):
    template_name = "accounts/password_change.html"
    form_class = forms.PasswordChangeForm
    success_url = reverse_lazy("accounts:profile")
    success_message = _("Your password has been changed. You have been logged out everywhere else.")

    def form_valid(self, form: Any) -> HttpResponse:
        form.user.changed_from = client_address(self.request)
        return super().form_valid(form)
