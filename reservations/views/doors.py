"""Check-in at the door, for staff. It works without scripts; the script adds the camera."""

from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_POST, require_safe

from reservations import services
from reservations.api.door_serializers import LARGEST, check_in_body
from reservations.selectors import check_ins as selectors
from reservations.selectors import section_calls
from reservations.tickets import signing
from reservations.views.holds import caller_of
from reservations.views.labels import DOOR_LABELS
from ticketing.accounts.models import User
from ticketing.core import clock
from ticketing.core.errors import InvalidInput, NotFound
from ticketing.core.redirects import SeeOther


class CodeForm(forms.Form):
    code = forms.CharField(
        label=gettext_lazy("Code on the ticket"),
        max_length=200,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false"}
        ),
    )
    door = forms.CharField(label=gettext_lazy("Door"), max_length=40, required=False)
    key = forms.UUIDField(widget=forms.HiddenInput)
    anyway = forms.BooleanField(required=False, widget=forms.HiddenInput)


class KeyForm(forms.Form):
    key = forms.UUIDField()
    door = forms.CharField(max_length=40, required=False)


class CallForm(forms.Form):
    section = forms.CharField(max_length=16)
    upto = forms.IntegerField(min_value=0, max_value=10**6)
    door = forms.CharField(max_length=40, required=False)


@never_cache
@require_safe
def doors(request: HttpRequest) -> HttpResponse:
    doorkeeper_of(request)
    near, later = selectors.door_events(clock.now())
    return render(request, "reservations/doors/doors.html", {"near": near, "later": later})


@never_cache
@require_safe
def door(request: HttpRequest, event_id: int) -> HttpResponse:
    doorkeeper_of(request)
    event = selectors.door_event(_valid_id(event_id))
    last = selectors.last_check_in(event_id, key) if (key := _key(request)) else None
    name = request.GET.get("door", "")[:40]
    context: dict[str, Any] = {
        "event": event,
        "venue": event.plan.venue,
        "form": CodeForm(initial={"key": uuid4(), "door": name}),
        "door": name,
        "last": check_in_body(last) if last else None,
        "recent": [check_in_body(entry) for entry in selectors.recent_check_ins(event_id)],
        "counts": selectors.door_counts(event_id),
        "calls": section_calls(event_id),
        "ask_until": event.doors_at - selectors.EARLY,
        "new_key": uuid4(),
        "keys": " ".join(map(signing.base64url, signing.public_keys())),
        "labels": DOOR_LABELS,
    }
    response = render(request, "reservations/doors/door.html", context)
    response["Permissions-Policy"] = settings.PERMISSIONS_POLICY.replace(
        "camera=()", "camera=(self)"
    )
    return response


@require_safe
@cache_control(no_cache=True)
def worker(request: HttpRequest) -> HttpResponse:
    """The service worker of the door, or of tickets: its scope is the folder it is served in."""
    return HttpResponse(_worker_script(), content_type="text/javascript; charset=utf-8")


@cache
def _worker_script() -> str:
    return Path(str(finders.find("js/offline_worker.js"))).read_text()


@require_POST
def check_in(request: HttpRequest, event_id: int) -> HttpResponse:
    """Check in a typed code without scripts; sent twice it counts once."""
    doorkeeper, data = doorkeeper_of(request), _valid(CodeForm(request.POST))
    scan = services.Scan(key=data["key"], text=data["code"], asks_first=not data["anyway"])
    services.check_in_batch(
        event_id=_valid_id(event_id),
        scans=[scan],
        door=data["door"],
        by=doorkeeper,
        now=clock.now(),
    )
    return _back(event_id, door=data["door"], last=str(scan.key))


@require_POST
def call(request: HttpRequest, event_id: int) -> HttpResponse:
    """Call the entry numbers of a standing section up to this one."""
    doorkeeper, data = doorkeeper_of(request), _valid(CallForm(request.POST))
    event = selectors.door_event(_valid_id(event_id))
    wish = {"section": data["section"], "upto": data["upto"]}
    services.call_numbers(event_id=event.pk, **wish, by=doorkeeper, now=clock.now())
    return _back(event_id, door=data["door"])


@require_POST
def undo(request: HttpRequest, event_id: int) -> HttpResponse:
    doorkeeper, data = doorkeeper_of(request), _valid(KeyForm(request.POST))
    services.undo_check_in(key=data["key"], by=doorkeeper, now=clock.now())
    messages.success(request, _("The check-in is undone. The ticket is good again."))
    return _back(event_id, door=data["door"])


def doorkeeper_of(request: HttpRequest) -> User:
    return selectors.doorkeeper(caller_of(request).id, request.session)


def _valid(form: forms.Form) -> dict[str, Any]:
    if not form.is_valid():
        raise InvalidInput(fields=form.errors.get_json_data())
    return form.cleaned_data


def _valid_id(event_id: int) -> int:
    if event_id > LARGEST:
        raise NotFound()
    return event_id


def _key(request: HttpRequest) -> UUID | None:
    form = KeyForm({"key": request.GET.get("last", "")})
    return form.cleaned_data["key"] if form.is_valid() else None


def _back(event_id: int, **about: str) -> HttpResponse:
    query = urlencode({name: value for name, value in about.items() if value})
    return SeeOther(f"{resolve_url('reservations:door', event_id)}?{query}")
