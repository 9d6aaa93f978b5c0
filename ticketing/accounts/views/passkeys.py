"""Passkeys: the page that lists them, and what its script and the log-in page's ask for."""

import json
from typing import Any

import django_otp
from django.contrib import messages
from django.contrib.auth import login, views
from django.contrib.auth.mixins import LoginRequiredMixin
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, resolve_url
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.generic import TemplateView

from ticketing.accounts import rate_limits, selectors, services
from ticketing.accounts.models import Passkey
from ticketing.accounts.views.access import PASSWORD_BACKEND, current_user
from ticketing.accounts.views.consents import consents_first
from ticketing.accounts.views.log_ins import remember_device
from ticketing.core import clock
from ticketing.core.errors import InvalidInput, NotFound
from ticketing.core.throttle import client_address

LONGEST = 20_000


@method_decorator(never_cache, name="dispatch")
class Passkeys(LoginRequiredMixin, TemplateView):
    """Only soon after a log-in: who finds an open session must not add a key of their own."""

    template_name = "accounts/passkeys.html"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        services.require_factor_owner(user=current_user(request), session=request.session)
        return super().get(request, *args, **kwargs)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        keys = selectors.passkeys(current_user(self.request))
        return super().get_context_data(passkeys=keys, host=services.site()[0], **kwargs)

    def post(self, request: HttpRequest) -> HttpResponse:
        user = current_user(request)
        services.require_factor_owner(user=user, session=request.session)
        sent = _body(request)
        user.changed_from = client_address(request)
        passkey = services.register_passkey(
            user=user,
            state=_text(sent, "state"),
            credential=_credential(sent),
            name=_text(sent, "name") or _("Passkey"),
            now=clock.now(),
        )
        _keep_this_session(request, passkey)
        return _go_to(reverse("accounts:passkeys"))


@method_decorator(never_cache, name="dispatch")
class PasskeyOptions(LoginRequiredMixin, View):
    """A challenge to register a new passkey."""

    def post(self, request: HttpRequest) -> HttpResponse:
        user = current_user(request)
        services.require_factor_owner(user=user, session=request.session)
        return JsonResponse(services.registration_options(user))


class PasskeyRemove(LoginRequiredMixin, View):
    def post(self, request: HttpRequest, pk: int) -> HttpResponse:
        user = current_user(request)
        services.require_factor_owner(user=user, session=request.session)
        user.changed_from = client_address(request)
        if not services.remove_passkey(user=user, pk=pk):
            raise NotFound()
        _keep_this_session(request, None)
        messages.success(request, _("The passkey is removed."))
        return redirect("accounts:passkeys")


@method_decorator(never_cache, name="dispatch")
class PasskeyUseOptions(View):
    """A challenge to log in, or to prove again who is logged in."""

    def post(self, request: HttpRequest) -> HttpResponse:
        rate_limits.LOG_IN.count(client_address(request))
        user = current_user(request) if request.user.is_authenticated else None
        return JsonResponse(services.authentication_options(user))


@method_decorator(never_cache, name="dispatch")
class PasskeyUse(views.RedirectURLMixin, View):
    """Log in with a passkey, which is the second factor, too; or prove again who it is."""

    def post(self, request: HttpRequest) -> HttpResponse:
        rate_limits.LOG_IN.count(client_address(request))
        sent, is_known = _body(request), request.user.is_authenticated
        passkey = services.verify_passkey(
            state=_text(sent, "state"),
            credential=_credential(sent),
            now=clock.now(),
            user=current_user(request) if is_known else None,
        )
        if not is_known:
            login(request, passkey.user, backend=PASSWORD_BACKEND)
        django_otp.login(request, passkey)
        services.mark_fresh(session=request.session, user=passkey.user)
        url = consents_first(passkey.user, self.get_success_url())
        return remember_device(request, _go_to(url), passkey.user)

    def get_default_redirect_url(self) -> str:
        return resolve_url("ticketing:home")


def _keep_this_session(request: HttpRequest, passkey: Passkey | None) -> None:
    """All sessions have ended; this browser gets a new one."""
    request.session.cycle_key()
    if passkey:
        django_otp.login(request, passkey)
    services.mark_fresh(session=request.session, user=current_user(request))


def _go_to(address: str) -> JsonResponse:
    return JsonResponse({"next": address})


def _body(request: HttpRequest) -> dict[str, Any]:
    """What the script sent; it is not trusted to be of any shape."""
    try:
        sent = json.loads(request.body) if len(request.body) <= LONGEST else None
    except (ValueError, RecursionError):
        sent = None
    if not isinstance(sent, dict):
        raise InvalidInput()
    return sent


def _text(sent: dict[str, Any], name: str) -> str:
    value = sent.get(name, "")
    return value if isinstance(value, str) else ""


def _credential(sent: dict[str, Any]) -> dict[str, Any]:
    value = sent.get("credential")
    if not isinstance(value, dict):
        raise InvalidInput()
    return value
