"""The account page: profile, e-mail address."""

from copy import copy
from typing import Any

from django.contrib import messages
from django.contrib.auth.mixins import LoginRequiredMixin
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.generic import UpdateView

from ticketing.accounts import forms, rate_limits, selectors, services, tasks
from ticketing.accounts.models import User
from ticketing.accounts.sessions import store_caller
from ticketing.accounts.views.access import AsksIdentity, current_user
from ticketing.core import clock
from ticketing.core.throttle import client_address


@method_decorator(never_cache, name="dispatch")
class Profile(LoginRequiredMixin, UpdateView):
    template_name = "accounts/profile.html"
    form_class = forms.ProfileForm
    context_object_name = "person"  # `user` stays the logged-in user
    success_url = reverse_lazy("accounts:profile")

    def get_object(self, queryset: Any = None) -> User:
        """A copy, so that an invalid form does not change the name in the page header."""
        return copy(current_user(self.request))

    def form_valid(self, form: BaseForm) -> HttpResponse:
        data = {name: form.cleaned_data[name] for name in ("display_name", "phone")}
        user = services.change_profile(user=self.object, **data)
        store_caller(self.request.session, user)
        messages.success(self.request, _("Saved."))
        return redirect("accounts:profile")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        key = self.request.session.session_key
        devices = selectors.devices(self.object, key, now=clock.now())
        return super().get_context_data(devices=devices, **kwargs)


@method_decorator([sensitive_post_parameters(), never_cache], name="dispatch")
class Address(AsksIdentity):
    """Ask for another address; it takes effect when the link mailed there is opened."""

    template_name = "accounts/address.html"
    form_class = forms.AddressForm

    def form_valid(self, form: BaseForm) -> HttpResponse:
        user, email = current_user(self.request), form.cleaned_data["email"]
        rate_limits.MAILS_FOR.count(User.objects.normalize_email(email))
        services.ask_for_address(user=user, email=email, origin=client_address(self.request))
        return send_confirmation(self.request)


class ConfirmSend(LoginRequiredMixin, View):
    """Mail the link again."""

    def post(self, request: HttpRequest) -> HttpResponse:
        user = current_user(request)
        rate_limits.MAILS_FOR.count(user.new_email or user.email)
        return send_confirmation(request)


def send_confirmation(request: HttpRequest) -> HttpResponse:
    tasks.mail_confirmation.delay(current_user(request).pk, get_language())
    messages.success(request, _("We’ve sent you a link. Open it to confirm the address."))
    return redirect("accounts:profile")


@method_decorator(never_cache, name="dispatch")
class Confirm(LoginRequiredMixin, View):
    """Behind the link: a button, because mail programs open links by themselves.

    Only for who is logged in to the account: somebody else may have signed up with this address.
    """

    def get(self, request: HttpRequest, secret: str) -> HttpResponse:
        return render(request, "accounts/confirm.html")

    def post(self, request: HttpRequest, secret: str) -> HttpResponse:
        user = services.confirm_address(
            user_id=current_user(request).pk,
            secret=secret,
            origin=client_address(request),
            now=clock.now(),
        )
        request.session.cycle_key()  # a new address ends all sessions
        store_caller(request.session, user)
        messages.success(request, _("Your e-mail address is confirmed."))
        return redirect("accounts:profile")
