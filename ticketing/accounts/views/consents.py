"""The consents page: asks for what is missing, and changes what is optional."""

from typing import Any, cast
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth import views
from django.contrib.auth.mixins import LoginRequiredMixin
from django.forms import BaseForm
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.decorators import method_decorator
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.generic import FormView

from ticketing.accounts import forms, selectors, services
from ticketing.accounts.models import User
from ticketing.accounts.views.access import current_user
from ticketing.core import clock


@method_decorator(never_cache, name="dispatch")
class Consents(LoginRequiredMixin, views.RedirectURLMixin, FormView):
    template_name = "accounts/consents.html"
    form_class = forms.ChosenConsentsForm

    def get_form_kwargs(self) -> dict[str, Any]:
        return super().get_form_kwargs() | {"user": current_user(self.request)}

    def form_valid(self, form: BaseForm) -> HttpResponse:
        services.choose_consents(
            user_id=current_user(self.request).pk,
            agreed=cast(forms.ChosenConsentsForm, form).agreed,
            now=clock.now(),
        )
        messages.success(self.request, _("Saved."))
        return HttpResponseRedirect(self.get_success_url())

    def get_default_redirect_url(self) -> str:
        return resolve_url("accounts:consents")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        user = current_user(self.request)
        return super().get_context_data(
            next=self.get_redirect_url(),
            consents=user.consents.select_related("document")[:100],
            is_missing=bool(selectors.missing_documents(user_id=user.pk, now=clock.now())),
            **kwargs,
        )


def consents_first(user: User, url: str) -> str:
    """Where to go after a log-in: first to the consents page if a required document is new."""
    if not selectors.missing_documents(user_id=user.pk, now=clock.now()):
        return url
    return f"{resolve_url('accounts:consents')}?{urlencode({'next': url})}"
