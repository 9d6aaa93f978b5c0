"""Deleting one's account."""

from typing import Any

from django import forms
from django.contrib.auth import logout
from django.contrib.auth.mixins import LoginRequiredMixin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.decorators import method_decorator
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.generic import FormView, TemplateView

from reservations.models import Ticket
from ticketing.accounts.services import require_fresh
from ticketing.core import clock
from ticketing.privacy import selectors, services, tasks

SHOWN = 20


class DeleteForm(forms.Form):
    """With a question for those who have tickets."""

    knows_tickets = forms.BooleanField(
        label=_("I have saved these tickets, or don’t need them."),
        help_text=_("They stay valid, but we can’t show, refund or transfer them any more."),
    )
    is_sure = forms.BooleanField(label=_("Delete my account. This can’t be undone."))

    def __init__(self, *args: Any, tickets: list[Ticket], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.tickets = tickets
        if not tickets:
            del self.fields["knows_tickets"]


@method_decorator(never_cache, name="dispatch")
class Delete(LoginRequiredMixin, FormView):
    """A session that was left open can't do this: it takes the password once more."""

    template_name = "privacy/delete.html"
    form_class = DeleteForm

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        require_fresh(request.session)
        return super().get(request, *args, **kwargs)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        require_fresh(request.session)
        return super().post(request, *args, **kwargs)

    def get_form_kwargs(self) -> dict[str, Any]:
        tickets = selectors.upcoming_tickets(self.request.user.pk or 0, now=clock.now())
        return super().get_form_kwargs() | {"tickets": list(tickets[:SHOWN])}

    def form_valid(self, form: Any) -> HttpResponse:
        user: Any = self.request.user
        email, name = user.email, user.display_name
        services.delete_account(
            user=user,
            knows_tickets=form.cleaned_data.get("knows_tickets", False),
            now=clock.now(),
        )
        logout(self.request)
        tasks.mail_deleted.delay(email, name, get_language() or "")
        return redirect("privacy:deleted")


class Deleted(TemplateView):
    template_name = "privacy/deleted.html"
