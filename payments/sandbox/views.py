"""The payment window that PortOne's browser SDK would open."""

from urllib.parse import urlencode, urlsplit, urlunsplit

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from payments.sandbox import services
from payments.sandbox.behaviours import EVERYDAY, GROUPS
from payments.sandbox.errors import AlreadyPaid, InformationMismatch, InvalidRequest
from payments.sandbox.forms import Choice
from payments.sandbox.guard import require_home
from payments.sandbox.models import Payment
from ticketing.core import clock
from ticketing.core.errors import InvalidInput
from ticketing.core.redirects import SeeOther

TROUBLE = {behaviour for group in GROUPS.values() for behaviour in group}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def checkout(request: HttpRequest, payment_id: str) -> HttpResponse:
    """Asks the fan what should happen, and goes back to the shop with the outcome."""
    require_home()
    back = _way_back(request)
    try:
        payment = services.open_window(
            payment_id=payment_id, order=_order(request), now=clock.now()
        )
        if request.method != "POST":
            return _page(request, payment, Choice(initial=_preset(payment)))
        return _chosen(request, payment, back)
    except (AlreadyPaid, InformationMismatch, InvalidRequest) as refusal:
        return _with(back, paymentId=payment_id, code=refusal.type, message=refusal.message)


def _chosen(request: HttpRequest, payment: Payment, back: str) -> HttpResponse:
    form = Choice(request.POST)
    if not form.is_valid():
        return _page(request, payment, form, status=400)
    answer = services.choose(
        payment_id=payment.payment_id,
        behaviour=form.cleaned_data["behaviour"],
        seconds=form.seconds_to_wait,
        now=clock.now(),
    )
    return _with(back, **answer)


def _page(request: HttpRequest, payment: Payment, form: Choice, status: int = 200) -> HttpResponse:
    context = {
        "payment": payment,
        "form": form,
        "everyday": EVERYDAY,
        "groups": GROUPS,
        "in_trouble": form["behaviour"].value() in TROUBLE,
    }
    return render(request, "payments/sandbox/checkout.html", context, status=status)


def _preset(payment: Payment) -> dict[str, object]:
    return {"behaviour": payment.behaviour, "seconds": f"{payment.seconds:g}"}


def _order(request: HttpRequest) -> services.Order:
    """What `PortOne.requestPayment` was told, under the same names."""
    told = request.GET
    amount = told.get("totalAmount", "")[:12]
    return services.Order(
        amount=int(amount) if amount.isdecimal() else None,
        currency=told.get("currency", "")[:3] or None,
        name=told.get("orderName", "")[:200],
        channel_key=told.get("channelKey", "")[:60],
        origin=request.build_absolute_uri("/"),
        address=request.META.get("REMOTE_ADDR") or "127.0.0.1",
    )


def _way_back(request: HttpRequest) -> str:
    """Only to this very site: a sandbox must not become somebody's open redirect."""
    back = request.GET.get("redirect", "")
    if not url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()}):
        raise InvalidInput(fields={"redirect": "not an address of this site"})
    return back


def _with(back: str, **answer: str) -> HttpResponse:
    parts = urlsplit(back)
    query = "&".join(filter(None, [parts.query, urlencode(answer)]))
    return SeeOther(urlunsplit(parts._replace(query=query)))
