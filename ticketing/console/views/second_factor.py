"""Two-factor log-in: enter a code, or set up a phone with a QR code and get recovery codes."""

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

from ticketing.accounts import services
from ticketing.console.views.access import View, render_page
from ticketing.console.views.forms import CodeForm
from ticketing.core.admin.pages import operator
from ticketing.core.errors import NotFound


def staff_view(view: View) -> View:
    return never_cache(admin.site.admin_view(view))


@staff_view
def second_factor(request: HttpRequest) -> HttpResponse:
    """Ask for a code; without a phone, set one up first."""
    user = operator(request)
    if not services.has_factor(user):
        return redirect("console:set_up")
    form = CodeForm(request.POST or None, check=partial(services.check_code, user=user))
    if form.is_valid():
        django_otp.login(request, form.result)
        services.mark_fresh(session=request.session, user=user)
        return redirect(_next(request))
    title = _("Code from your phone")
    host = services.site()[0] if services.has_passkey(user) else ""
    return render_page(
        request, "second_factor", title, form=form, next=_next(request), passkey_host=host
    )


@staff_view
def set_up(request: HttpRequest) -> HttpResponse:
    """Set up a phone: QR code, first code, then the recovery codes, shown once."""
    user = operator(request)
    if services.lacks_own_factor(user, request.session):
        return redirect("console:second_factor")
    form = CodeForm(request.POST or None, check=partial(services.confirm_phone, user=user))
    if form.is_valid():
        device, codes = form.result
        request.session.cycle_key()  # all sessions have ended
        django_otp.login(request, device)
        services.mark_fresh(session=request.session, user=user)
        return render_page(request, "recovery_codes", _("Recovery codes"), codes=codes)
    phone = services.pending_phone(user)
    secret = phone.config_url.partition("secret=")[2].partition("&")[0]
    return render_page(
        request, "set_up", _("Set up the code from your phone"), form=form, secret=secret
    )


@staff_view
def qr(request: HttpRequest) -> HttpResponse:
    """The QR code of the phone that is being set up; never that of a confirmed one."""
    user = operator(request)
    if services.lacks_own_factor(user, request.session):
        raise NotFound()
    image = io.BytesIO()
    code = segno.make(services.pending_phone(user).config_url, error="m")
    code.save(image, kind="svg", scale=6, border=4, light="#fff")
    return HttpResponse(image.getvalue(), content_type="image/svg+xml")


def _next(request: HttpRequest) -> str:
    target = request.POST.get("next") or request.GET.get("next") or ""
    is_ours = url_has_allowed_host_and_scheme(target, {request.get_host()}, request.is_secure())
    return target if is_ours else reverse("admin:index")
