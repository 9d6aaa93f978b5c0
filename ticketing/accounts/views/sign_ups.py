"""Sign-up: an address, the link that is mailed there, name and password."""

import json
from typing import Any, cast

from django.conf import settings
from django.contrib.auth import login, views
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, resolve_url
from django.utils.decorators import method_decorator
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.generic import FormView, TemplateView

from ticketing.accounts import forms, rate_limits, services, tasks
from ticketing.accounts.models import User
from ticketing.accounts.views.access import PASSWORD_BACKEND
from ticketing.core import clock
from ticketing.core.browsers import browser_of
from ticketing.core.throttle import client_address, network_of


@method_decorator(never_cache, name="dispatch")
class SignUp(views.RedirectURLMixin, FormView):
    """Ask for an address; does the same work whether or not it is known."""

    template_name = "accounts/sign_up.html"
    form_class = forms.SignUpForm

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if request.user.is_authenticated:
            return HttpResponseRedirect(self.get_success_url())
        return super().dispatch(request, *args, **kwargs)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        network = network_of(request.META.get("REMOTE_ADDR") or "") or client_address(request)
        rate_limits.SIGN_UP.count(network)
        if device := browser_of(request.headers).known_mark:
            rate_limits.SIGN_UP_DEVICE.count(device)
        self.level = services.sign_up_level(network)
        return super().post(request, *args, **kwargs)

    def form_valid(self, form: BaseForm) -> HttpResponse:
        email = User.objects.normalize_email(form.cleaned_data["email"])
        solution = self.request.POST.get("solution", "")
        if challenge := services.sign_up_challenge(email, self.level, solution, now=clock.now()):
            context = self.get_context_data(form=form, challenge=challenge)
            context["challenge_json"] = json.dumps(challenge)
            return self.render_to_response(context, status=403)
        rate_limits.MAILS_FOR.count(email)
        tasks.mail_sign_up.delay(email, self.get_redirect_url(), get_language())
        return redirect("accounts:sign_up_sent")

    def get_default_redirect_url(self) -> str:
        return resolve_url(settings.LOGIN_REDIRECT_URL)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(next=self.get_redirect_url(), **kwargs)


class SignUpSent(TemplateView):
    template_name = "accounts/sign_up_sent.html"


@method_decorator([sensitive_post_parameters(), never_cache], name="dispatch")
class SignUpFinish(FormView):
    """Behind the link: choose name and password. Whoever opens it owns the address."""

    template_name = "accounts/sign_up_finish.html"
    form_class = forms.FinishSignUpForm

    def get_initial(self) -> dict[str, Any]:
        return {"email": services.read_sign_up(self.kwargs["secret"])["email"]}

    def form_valid(self, form: BaseForm) -> HttpResponse:
        link = services.read_sign_up(self.kwargs["secret"])
        user = services.sign_up(
            email=link["email"],
            password=form.cleaned_data["password1"],
            display_name=form.cleaned_data["display_name"],
            agreed=cast(forms.FinishSignUpForm, form).agreed,
            now=clock.now(),
        )
        login(self.request, user, backend=PASSWORD_BACKEND)
        return HttpResponseRedirect(link["next"] or resolve_url(settings.LOGIN_REDIRECT_URL))
