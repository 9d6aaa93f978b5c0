"""The developers' page with a person's API tokens."""

from datetime import timedelta
from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.mixins import LoginRequiredMixin
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.decorators import method_decorator
from django.utils.translation import gettext_lazy as _
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.generic import TemplateView

from ticketing.accounts import forms, rate_limits, selectors, services
from ticketing.accounts.views.access import AsksIdentity, current_user
from ticketing.core import clock
from ticketing.core.throttle import client_address


@method_decorator(never_cache, name="dispatch")
class Developers(TemplateView):
    """Where the API is described; whoever is logged in also sees their tokens."""

    template_name = "accounts/developers.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        if self.request.user.is_authenticated:
            tokens = selectors.live_tokens(current_user(self.request), now=clock.now())
            kwargs["tokens"] = tokens
        return super().get_context_data(**kwargs)


@method_decorator([sensitive_post_parameters(), never_cache], name="dispatch")
class TokenCreate(AsksIdentity):
    """Responds with the secret directly: it is never stored, not even for a redirect."""

    template_name = "accounts/token_create.html"
    form_class = forms.TokenForm

    def form_valid(self, form: BaseForm) -> HttpResponse:
        user, asked = current_user(self.request), form.cleaned_data
        rate_limits.CREATE_TOKEN.count(str(user.pk))
        token, secret = services.create_token(
            user=user,
            name=asked["name"],
            scopes=asked["scopes"],
            lasts=timedelta(days=asked["days"]),
            has_second_factor=cast(forms.TokenForm, form).has_second_factor,
            address=client_address(self.request),
            now=clock.now(),
        )
        page = {"token": token, "secret": secret}
        return render(self.request, "accounts/token_created.html", page, status=201)


class TokenRevoke(LoginRequiredMixin, View):
    def post(self, request: HttpRequest, pk: int) -> HttpResponse:
        token = get_object_or_404(current_user(request).api_tokens, pk=pk)
        services.revoke_token(token=token, now=clock.now())
        messages.success(request, _("“%(name)s” is revoked.") % {"name": token.name})
        return redirect("accounts:developers")
