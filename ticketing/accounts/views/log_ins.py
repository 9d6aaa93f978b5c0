"""Log-in and log-out, known devices, sessions, and the hooks of django-axes."""

from typing import Any, cast

from axes.handlers.proxy import AxesProxyHandler
from axes.helpers import get_client_cache_keys
from django.conf import settings
from django.contrib.auth import logout, views
from django.contrib.auth.mixins import LoginRequiredMixin
from django.contrib.auth.signals import user_login_failed
from django.core.cache import cache
from django.dispatch import receiver
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render, resolve_url
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from ticketing.accounts import forms, services
from ticketing.accounts.errors import LogInPaused
from ticketing.accounts.models import User
from ticketing.accounts.views.access import AsksIdentity, current_user
from ticketing.accounts.views.consents import consents_first
from ticketing.core.error_responses import respond
from ticketing.core.errors import NotFound
from ticketing.core.throttle import client_address


class LogIn(views.LoginView):
    template_name = "accounts/log_in.html"
    form_class = forms.LogInForm
    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(passkey_host=services.site()[0], **kwargs)

    def form_valid(self, form: Any) -> HttpResponse:
        user = form.get_user()
        super().form_valid(form)
        url = consents_first(user, self.get_success_url())
        return remember_device(self.request, HttpResponseRedirect(url), user)


def forget_tickets(response: HttpResponse, *, is_staff: bool) -> HttpResponse:
    """Have the browser delete the tickets that it keeps for the way to the door.

    Not that of staff, who may have check-ins there which were not sent yet.
    """
    if not is_staff:
        response.headers["Clear-Site-Data"] = '"storage"'
    return response


class LogOut(views.LogoutView):
    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        is_staff = request.user.is_staff  # nobody is, after it
        response = super().post(request, *args, **kwargs)
        return forget_tickets(response, is_staff=is_staff)


@method_decorator(never_cache, name="dispatch")
class KnownDevice(View):
    """Behind the link of a mail about many wrong passwords: this browser may try to log in."""

    def get(self, request: HttpRequest, secret: str) -> HttpResponse:
        services.user_of_device_link(secret)
        return render(request, "accounts/device.html")

    def post(self, request: HttpRequest, secret: str) -> HttpResponse:
        user = services.user_of_device_link(secret)
        return remember_device(request, redirect("accounts:log_in"), user)


def remember_device(request: HttpRequest, response: HttpResponse, user: User) -> HttpResponse:
    known = services.with_known_device(cookie=request.COOKIES.get(services.COOKIE, ""), user=user)
    response.set_cookie(
        services.COOKIE,
        known,
        max_age=services.COOKIE_LASTS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return response


@method_decorator([sensitive_post_parameters(), never_cache], name="dispatch")
class Identity(views.RedirectURLMixin, AsksIdentity):
    """Ask for password and code again before something that a forgotten session must not do."""

    template_name = "accounts/identity.html"
    form_class = forms.IdentityForm

    def form_valid(self, form: BaseForm) -> HttpResponse:
        services.mark_fresh(session=self.request.session, user=current_user(self.request))
        return HttpResponseRedirect(self.get_success_url())

    def get_default_redirect_url(self) -> str:
        return resolve_url("accounts:profile")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        host = services.site()[0] if services.has_passkey(current_user(self.request)) else ""
        return super().get_context_data(next=self.get_redirect_url(), passkey_host=host, **kwargs)


class SessionEnd(LoginRequiredMixin, View):
    """Log one device out."""

    def post(self, request: HttpRequest, public_id: str) -> HttpResponse:
        user = current_user(request)
        user.changed_from = client_address(request)
        if not services.end_session(user=user, public_id=public_id):
            raise NotFound()
        return redirect("accounts:profile")


class LogOutEverywhere(LoginRequiredMixin, View):
    def post(self, request: HttpRequest) -> HttpResponse:
        user = current_user(request)
        user.changed_from = client_address(request)
        services.log_out_everywhere(user=user)
        logout(request)
        return forget_tickets(redirect("accounts:log_in"), is_staff=user.is_staff)


@receiver(user_login_failed)
def on_failure(
    sender: object, credentials: dict[str, Any], request: HttpRequest | None = None, **rest: Any
) -> None:
    """Attempts during a pause of one address are no guesses: they are not even compared."""
    if request is not None and AxesProxyHandler.is_allowed(request, credentials):
        services.count_failure(
            email=login_email(request, credentials), origin=client_address(request)
        )


# -- django-axes' hooks ---------------------------------------------------------------------------


def login_email(request: HttpRequest, credentials: dict[str, Any] | None = None) -> str:
    """The e-mail whose failures are counted, normalised so that no other spelling evades it."""
    data = credentials or {}
    return User.objects.normalize_email(data.get("email") or data.get("username"))


def lockout_response(
    request: HttpRequest, response: HttpResponse | None, credentials: dict[str, Any]
) -> HttpResponse:
    """The response during a pause, with the remaining time."""
    ttl = cast(Any, cache).ttl
    left = max(ttl(key) or 1 for key in get_client_cache_keys(request, credentials))
    return respond(request, LogInPaused(retry_after=left))
