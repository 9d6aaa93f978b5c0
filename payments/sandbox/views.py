"""The payment window that PortOne's browser SDK would open."""

from urllib.parse import urlencode, urlsplit, urlunsplit

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from payments.sandbox import services
from payments.sandbox.availability import require_enabled
from payments.sandbox.behaviours import COMMON, GROUPS
from payments.sandbox.errors import AlreadyPaid, InformationMismatch, InvalidRequest
from payments.sandbox.forms import BehaviourForm
from payments.sandbox.models import Payment
from ticketing.core import clock
from ticketing.core.errors import InvalidInput
from ticketing.core.redirects import SeeOther

FAULTY = {behaviour for group in GROUPS.values() for behaviour in group}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def checkout(request: HttpRequest, payment_id: str) -> HttpResponse:
    """Ask the fan what should happen, and redirect to the shop with the outcome."""
    require_enabled()
    return_url = _return_url(request)
    try:
        payment = services.open_window(
            payment_id=payment_id, order=_order(request), now=clock.now()
        )
        if request.method != "POST":
            return _page(request, payment, BehaviourForm(initial=_preset(payment)))
        return _choose(request, payment, return_url)
    except (AlreadyPaid, InformationMismatch, InvalidRequest) as refusal:
        return _redirect(
            return_url, paymentId=payment_id, code=refusal.type, message=refusal.message
        )


def _choose(request: HttpRequest, payment: Payment, return_url: str) -> HttpResponse:
    form = BehaviourForm(request.POST)
    if not form.is_valid():
        return _page(request, payment, form, status=400)
    answer = services.choose(
        payment_id=payment.payment_id,
        behaviour=form.cleaned_data["behaviour"],
        seconds=form.seconds_to_wait,
        now=clock.now(),
    )
    return _redirect(return_url, **answer)


def _page(
    request: HttpRequest, payment: Payment, form: BehaviourForm, status: int = 200
) -> HttpResponse:
    context = {
        "payment": payment,
        "form": form,
        "common": COMMON,
        "groups": GROUPS,
        "is_faulty": form["behaviour"].value() in FAULTY,
    }
    return render(request, "payments/sandbox/checkout.html", context, status=status)


def _preset(payment: Payment) -> dict[str, object]:
    return {"behaviour": payment.behaviour, "seconds": f"{payment.seconds:g}"}


def _order(request: HttpRequest) -> services.WindowOrder:
    """The order from the query, with the names of `PortOne.requestPayment`."""
    query = request.GET
    amount = query.get("totalAmount", "")[:12]
    return services.WindowOrder(
        amount=int(amount) if amount.isdecimal() else None,
        currency=query.get("currency", "")[:3] or None,
        name=query.get("orderName", "")[:200],
        channel_key=query.get("channelKey", "")[:60],
        origin=request.build_absolute_uri("/"),
        address=request.META.get("REMOTE_ADDR") or "127.0.0.1",
    )


def _return_url(request: HttpRequest) -> str:
    """Only a URL of this site: the sandbox must not be an open redirect."""
    url = request.GET.get("redirect", "")
    if not url_has_allowed_host_and_scheme(url, allowed_hosts={request.get_host()}):
        raise InvalidInput(fields={"redirect": "not an address of this site"})
    return url


def _redirect(return_url: str, **answer: str) -> HttpResponse:
    parts = urlsplit(return_url)
    query = "&".join(filter(None, [parts.query, urlencode(answer)]))
    return SeeOther(urlunsplit(parts._replace(query=query)))
