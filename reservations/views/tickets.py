"""A fan's tickets: show, print, rename, transfer."""

from collections.abc import Callable, Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render, resolve_url
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_POST, require_safe

from reservations import selectors as orders
from reservations import services
from reservations.errors import NoTicket
from reservations.models import Ticket
from reservations.selectors import tickets as selectors
from reservations.services.transfers import is_before
from reservations.tickets import signing
from reservations.tickets.calendar_file import calendar_file
from reservations.tickets.pdf import tickets_pdf
from reservations.tickets.qr import qr_svg
from reservations.views.holds import caller_of
from ticketing.core import clock
from ticketing.core.errors import DomainError
from ticketing.core.redirects import SeeOther
from ticketing.events.models import Event


class NameForm(forms.Form):
    name = forms.CharField(label=gettext_lazy("Name on the ticket"), max_length=60)


class OfferForm(forms.Form):
    email = forms.EmailField(label=gettext_lazy("Their e-mail address"))


@never_cache
@require_safe
def tickets(request: HttpRequest) -> HttpResponse:
    """The fan's live tickets, and offers of others to them."""
    whose: Any = {"fan_id": caller_of(request).id, "now": clock.now()}
    context = {
        "tickets": selectors.own_tickets(**whose),
        "offers": selectors.open_offers_to(**whose),
    }
    return render(request, "reservations/tickets/tickets.html", context)


@never_cache
@require_safe
def order_tickets(request: HttpRequest, code: str) -> HttpResponse:
    """The tickets of an order that the fan still holds, side by side, to show at the door."""
    found = orders.tickets_of_order(code=code, fan_id=caller_of(request).id)
    if not found:
        raise NoTicket()
    event = found[0].event
    if event.entry_numbers != Event.EntryNumbers.NONE:
        called = {section.code: section.upto for section in orders.section_calls(event.pk)}
        for ticket in found:
            ticket.called_upto = called.get(ticket.seat.place.section.code)
    context = {"tickets": found, "code": code, "event": event, "venue": event.plan.venue}
    return render(request, "reservations/tickets/order.html", context)


@never_cache
@require_safe
def ticket(request: HttpRequest, code: str) -> HttpResponse:
    found, now = own(request, code), clock.now()
    is_valid = found.state == Ticket.State.VALID
    context = {
        "ticket": found,
        "event": found.event,
        "venue": found.event.plan.venue,
        "offer": selectors.open_offer(found),
        "successor": None if found.is_live else selectors.successor(found),
        "may_rename": is_valid and is_before(found.event, found.event.rename_hours, now),
        "may_transfer": is_valid and is_before(found.event, found.event.transfer_hours, now),
        "may_reissue": is_valid,
        "name_form": NameForm(initial={"name": found.name}),
        "offer_form": OfferForm(),
    }
    return render(request, "reservations/tickets/ticket.html", context)


@never_cache
@require_safe
def qr(request: HttpRequest, code: str) -> HttpResponse:
    return HttpResponse(qr_svg(live(own(request, code))), content_type="image/svg+xml")


@never_cache
@require_safe
def pdf(request: HttpRequest, code: str) -> HttpResponse:
    found = live(own(request, code))
    return _pdf([found], f"ticket-{found.code}.pdf")


@never_cache
@require_safe
def order_pdf(request: HttpRequest, code: str) -> HttpResponse:
    """The tickets of an order that the fan still holds, a page each."""
    found = orders.tickets_of_order(code=code, fan_id=caller_of(request).id)
    if not found:
        raise NoTicket()
    return _pdf(found, f"tickets-{code}.pdf")


@never_cache
@require_safe
def calendar(request: HttpRequest, code: str) -> HttpResponse:
    found = live(own(request, code))
    address = request.build_absolute_uri(resolve_url("reservations:ticket", found.code))
    host = request.get_host().partition(":")[0]
    text = calendar_file(found, host=host, address=address, now=clock.now())
    return _file(text.encode(), "text/calendar; charset=utf-8", f"ticket-{found.code}.ics")


@require_POST
def rename(request: HttpRequest, code: str) -> HttpResponse:
    form = NameForm(request.POST)
    if not form.is_valid():
        return _invalid(request, form, code)
    message = _(
        "The name has been changed. This is your new ticket; the old code is no longer valid."
    )
    more = {"name": form.cleaned_data["name"], "language": get_language() or ""}
    return _run_service(request, code, message, services.rename_ticket, **more)


@require_POST
def reissue(request: HttpRequest, code: str) -> HttpResponse:
    message = _("This is your new ticket; the old code is no longer valid.")
    language = get_language() or ""
    return _run_service(request, code, message, services.reissue_ticket, language=language)


@require_POST
def offer(request: HttpRequest, code: str) -> HttpResponse:
    form = OfferForm(request.POST)
    if not form.is_valid():
        return _invalid(request, form, code)
    email = form.cleaned_data["email"]
    message = _("%(email)s can accept it now. Until then it remains yours.") % {"email": email}
    more = {"email": email, "language": get_language() or ""}
    return _run_service(request, code, message, services.offer_ticket, **more)


@require_POST
def withdraw(request: HttpRequest, code: str) -> HttpResponse:
    return _run_service(request, code, _("You keep this ticket."), services.withdraw_offer)


@require_POST
def accept(request: HttpRequest, code: str) -> HttpResponse:
    message, more = _("The ticket is now yours."), {"language": get_language() or ""}
    return _run_service(request, code, message, services.accept_offer, is_offer=True, **more)


@require_POST
def decline(request: HttpRequest, code: str) -> HttpResponse:
    message = _("You declined the ticket.")
    return _run_service(request, code, message, services.decline_offer, is_offer=True)


@require_safe
@cache_control(public=True, max_age=300)
def keys(request: HttpRequest) -> HttpResponse:
    """Public keys (RFC 8037), with which anybody can verify a code offline."""
    public = [
        {"kty": "OKP", "crv": "Ed25519", "use": "sig", "x": signing.base64url(key)}
        for key in signing.public_keys()
    ]
    return JsonResponse({"keys": public})


def own(request: HttpRequest, code: str) -> Ticket:
    return selectors.own_ticket(code=code, fan_id=caller_of(request).id)


def live(found: Ticket) -> Ticket:
    """The ticket, unless it is void."""
    if not found.is_live:
        raise NoTicket()
    return found


def _run_service(
    request: HttpRequest,
    code: str,
    message: str,
    service: Callable[..., Any],
    *,
    is_offer: bool = False,
    **more: Any,
) -> HttpResponse:
    """Run the service and show the resulting ticket, or go back and say why not."""
    back = resolve_url("reservations:tickets") if is_offer else ""
    fan_id = caller_of(request).id
    try:
        result = service(code=code, fan_id=fan_id, now=clock.now(), **more)
    except NoTicket:
        raise
    except DomainError as refusal:
        messages.error(request, " ".join(filter(None, [str(refusal), str(refusal.advice)])))
        return SeeOther(back or resolve_url("reservations:ticket", code))
    messages.success(request, message)
    if isinstance(result, Ticket):
        return SeeOther(resolve_url("reservations:ticket", result.code))
    return SeeOther(back or resolve_url("reservations:ticket", code))


def _invalid(request: HttpRequest, form: forms.Form, code: str) -> HttpResponse:
    texts = [str(text) for problems in form.errors.values() for text in problems]
    messages.error(request, " ".join(texts))
    return SeeOther(resolve_url("reservations:ticket", code))


def _pdf(tickets: Sequence[Ticket], name: str) -> HttpResponse:
    return _file(tickets_pdf(tickets), "application/pdf", name)


def _file(content: bytes, kind: str, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=kind, headers=headers)
