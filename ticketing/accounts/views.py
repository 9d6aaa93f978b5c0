"""Account pages: log-in, sign-up, passwords, profile, API tokens."""

from copy import copy
from typing import Any, cast

from axes.handlers.proxy import AxesProxyHandler
from axes.helpers import get_client_cache_keys, get_client_ip_address
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, logout, views
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.mixins import LoginRequiredMixin
from django.contrib.messages.views import SuccessMessageMixin
from django.core.cache import cache
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.generic import FormView, UpdateView

from ticketing.accounts import forms, rate_limits, selectors, services, tasks
from ticketing.accounts.errors import LogInPaused
from ticketing.accounts.models import User
from ticketing.accounts.sessions import store_caller
from ticketing.core import clock
from ticketing.core.error_responses import respond
from ticketing.core.throttle import client_address

PASSWORD_BACKEND = "django.contrib.auth.backends.ModelBackend"  # noqa: S105


class LogIn(views.LoginView):
    template_name = "accounts/log_in.html"
    form_class = forms.LogInForm
    redirect_authenticated_user = True


class LogOut(views.LogoutView):
    pass


@method_decorator([sensitive_post_parameters(), never_cache], name="dispatch")
class SignUp(views.RedirectURLMixin, FormView):
    template_name = "accounts/sign_up.html"
    form_class = forms.SignUpForm

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if request.user.is_authenticated:
            return HttpResponseRedirect(self.get_success_url())
        return super().dispatch(request, *args, **kwargs)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        rate_limits.SIGN_UP.count(client_address(request))
        return super().post(request, *args, **kwargs)

    def form_valid(self, form: BaseForm) -> HttpResponse:
        data = form.cleaned_data
        user = services.sign_up(
            email=data["email"],
            password=data["password1"],
            display_name=data["display_name"],
            now=clock.now(),
        )
        login(self.request, user, backend=PASSWORD_BACKEND)
        return HttpResponseRedirect(self.get_success_url())

    def get_default_redirect_url(self) -> str:
        return resolve_url(settings.LOGIN_REDIRECT_URL)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(next=self.get_redirect_url(), **kwargs)


class PasswordReset(views.PasswordResetView):
    """Does the same work whether or not the address is known; the task looks it up."""

    template_name = "accounts/password_reset.html"
    form_class = forms.PasswordResetForm
    success_url = reverse_lazy("accounts:password_reset_done")

    def form_valid(self, form: BaseForm) -> HttpResponse:
        email = User.objects.normalize_email(form.cleaned_data["email"])
        rate_limits.RESET_FROM.count(client_address(self.request))
        rate_limits.RESET_FOR.count(email)
        origin = f"{self.request.scheme}://{self.request.get_host()}"
        tasks.mail_password_reset.delay(email, origin, get_language())
        return HttpResponseRedirect(str(self.success_url))


class PasswordResetDone(views.PasswordResetDoneView):
    template_name = "accounts/password_reset_done.html"


class PasswordResetConfirm(views.PasswordResetConfirmView):
    template_name = "accounts/password_reset_confirm.html"
    success_url = reverse_lazy("accounts:password_reset_complete")

    def form_valid(self, form: SetPasswordForm) -> HttpResponse:
        """A reset by mail also ends the pause after too many wrong passwords."""
        response = super().form_valid(form)
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
    success_message = _("Your password is changed. Everywhere else you are logged out.")


@method_decorator([sensitive_post_parameters(), never_cache], name="dispatch")
class Profile(LoginRequiredMixin, UpdateView):
    template_name = "accounts/profile.html"
    form_class = forms.ProfileForm
    context_object_name = "person"  # `user` stays the logged-in user
    success_url = reverse_lazy("accounts:profile")

    def get_object(self, queryset: Any = None) -> User:
        """A copy, so that an invalid form does not change the name in the page header."""
        return copy(current_user(self.request))

    def form_valid(self, form: BaseForm) -> HttpResponse:
        data = {name: form.cleaned_data[name] for name in ("email", "display_name", "phone")}
        user = services.change_profile(user=self.object, **data)
        store_caller(self.request.session, user)
        messages.success(self.request, _("Saved."))
        return redirect("accounts:profile")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        tokens = selectors.live_tokens(self.object)
        return super().get_context_data(tokens=tokens, token_form=forms.TokenForm(), **kwargs)


@method_decorator(never_cache, name="dispatch")
class TokenCreate(LoginRequiredMixin, FormView):
    """Responds with the secret directly: it is never stored, not even for a redirect."""

    template_name = "accounts/token_create.html"
    form_class = forms.TokenForm

    def form_valid(self, form: BaseForm) -> HttpResponse:
        user = current_user(self.request)
        rate_limits.CREATE_TOKEN.count(str(user.pk))
        name = form.cleaned_data["name"]
        token, secret = services.create_token(user=user, name=name, now=clock.now())
        page = {"token": token, "secret": secret}
        return render(self.request, "accounts/token_created.html", page, status=201)


class TokenRevoke(LoginRequiredMixin, View):
    def post(self, request: HttpRequest, pk: int) -> HttpResponse:
        token = get_object_or_404(current_user(request).api_tokens, pk=pk)
        services.revoke_token(token=token, now=clock.now())
        messages.success(request, _("“%(name)s” is revoked.") % {"name": token.name})
        return redirect("accounts:profile")


class LogOutEverywhere(LoginRequiredMixin, View):
    def post(self, request: HttpRequest) -> HttpResponse:
        services.log_out_everywhere(user=current_user(request))
        logout(request)
        return redirect("accounts:log_in")


def current_user(request: HttpRequest) -> User:
    """The logged-in user, on pages that require a log-in."""
    return cast(User, request.user)


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
