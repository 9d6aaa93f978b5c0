"""The second proof: show a code, or set it up with a QR code and keep the recovery codes."""

import io
from functools import partial

import django_otp
import segno
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from ticketing.console import services
from ticketing.console.access import View, page
from ticketing.console.forms import CodeForm
from ticketing.core.admin.pages import operator
from ticketing.core.errors import NotFound


def for_staff(view: View) -> View:
    return never_cache(admin.site.admin_view(view))


@for_staff
def second_factor(request: HttpRequest) -> HttpResponse:
    """Asks for a code; whoever has no phone set up yet does that first."""
    who = operator(request)
    if not services.is_set_up(who):
        return redirect("console:set_up")
    form = CodeForm(request.POST or None, check=partial(services.check_code, user=who))
    if form.is_valid():
        django_otp.login(request, form.outcome)
        return redirect(_next(request))
    title = _("Code from your phone")
    return page(request, "second_factor", title, form=form, next=_next(request))


@for_staff
def set_up(request: HttpRequest) -> HttpResponse:
    """With a QR code and a first code from it; then shows the recovery codes, once."""
    who = operator(request)
    if services.is_set_up(who) and services.lacks_second_factor(who, request.session):
        return redirect("console:second_factor")
    form = CodeForm(request.POST or None, check=partial(services.finish_set_up, user=who))
    if form.is_valid():
        device, codes = form.outcome
        django_otp.login(request, device)
        return page(request, "recovery_codes", _("Recovery codes"), codes=codes)
    phone = services.new_phone(who)
    secret = phone.config_url.partition("secret=")[2].partition("&")[0]
    return page(request, "set_up", _("Set up the code from your phone"), form=form, secret=secret)


@for_staff
def qr(request: HttpRequest) -> HttpResponse:
    """Of the phone that is being set up, and of no other."""
    who = operator(request)
    if services.is_set_up(who) and services.lacks_second_factor(who, request.session):
        raise NotFound()
    drawn = io.BytesIO()
    code = segno.make(services.new_phone(who).config_url, error="m")
    code.save(drawn, kind="svg", scale=6, border=4, light="#fff")
    return HttpResponse(drawn.getvalue(), content_type="image/svg+xml")


def _next(request: HttpRequest) -> str:
    asked = request.POST.get("next") or request.GET.get("next") or ""
    ours = url_has_allowed_host_and_scheme(asked, {request.get_host()}, request.is_secure())
    return asked if ours else reverse("admin:index")
