"""The windows that PortOne's browser SDK would open: to pay, and to verify an identity."""

from urllib.parse import urlencode, urlsplit, urlunsplit

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from payments.sandbox import services
from payments.sandbox.availability import require_enabled
from payments.sandbox.behaviours import COMMON, GROUPS
from payments.sandbox.errors import AlreadyPaid, InformationMismatch, InvalidRequest
from payments.sandbox.forms import BehaviourForm, PersonForm
from payments.sandbox.models import Payment
from ticketing.core import clock
from ticketing.core.errors import InvalidInput
from ticketing.core.fast_path.marks import Marks, marks_of
from ticketing.core.money import money
from ticketing.core.redirects import SeeOther

FAULTY = {behaviour for group in GROUPS.values() for behaviour in group}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def checkout(request: HttpRequest, payment_id: str) -> HttpResponse:
    """Ask the fan what should happen, and redirect to the shop with the outcome."""
    require_enabled()
    if marks := marks_of(request):
        return _marked_page(request, marks)
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


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def identity(request: HttpRequest, number: str) -> HttpResponse:
    """Ask who the person is, and redirect to the shop; closing the window is a failure."""
    require_enabled()
    return_url = _return_url(request)
    answer = {"identityVerificationId": number}
    if "close" in request.POST:
        return _redirect(return_url, **answer, code="FAILURE_TYPE_PG", message="closed")
    services.open_verification(number=number, now=clock.now())
    form = PersonForm(request.POST or None)
    if not form.is_valid():
        status = 400 if form.is_bound else 200
        return render(request, "payments/sandbox/identity.html", {"form": form}, status=status)
    services.confirm_person(number=number, **form.cleaned_data, now=clock.now())
    return _redirect(return_url, **answer)


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
    request: HttpRequest,
    payment: Payment,
    form: BehaviourForm,
    status: int = 200,
    marked: dict[str, str] | None = None,
) -> HttpResponse:
    context = {
        "payment": payment,
        "amount": money(payment.amount, payment.currency),
        "form": form,
        "common": COMMON,
        "groups": GROUPS,
        "is_faulty": form["behaviour"].value() in FAULTY,
        **(marked or {}),
    }
    return render(request, "payments/sandbox/checkout.html", context, status=status)


def _preset(payment: Payment) -> dict[str, object]:
    return {"behaviour": payment.behaviour, "seconds": f"{payment.seconds:g}"}


def _marked_page(request: HttpRequest, marks: Marks) -> HttpResponse:
    """The page without an order, which `fast_window.py` fills in."""
    payment = Payment(payment_id=marks.mark("number"), order_name=marks.mark("order"))
    form = BehaviourForm(initial=_preset(payment))
    marked = {"amount": marks.mark("amount"), "csrf_token": marks.mark("csrf")}
    return _page(request, payment, form, marked=marked)


def order_of(query: QueryDict, origin: str, address: str) -> services.WindowOrder:
    """The order from the query, with the names of `PortOne.requestPayment`."""
    amount = query.get("totalAmount", "")[:12]
    return services.WindowOrder(
        amount=int(amount) if amount.isdecimal() else None,
        currency=query.get("currency", "")[:3] or None,
        name=query.get("orderName", "")[:200],
        channel_key=query.get("channelKey", "")[:60],
        origin=origin,
        address=address,
    )


def _order(request: HttpRequest) -> services.WindowOrder:
    address = request.META.get("REMOTE_ADDR") or "127.0.0.1"
    return order_of(request.GET, request.build_absolute_uri("/"), address)


def _return_url(request: HttpRequest) -> str:
    """Only a URL of this site: the sandbox must not be an open redirect."""
    url = request.GET.get("redirect", "")
    if not url_has_allowed_host_and_scheme(url, allowed_hosts={request.get_host()}):
        raise InvalidInput(fields={"redirect": "not an address of this site"})
    return url


def _redirect(return_url: str, **answer: str) -> HttpResponse:
    return SeeOther(with_query(return_url, answer))


def with_query(url: str, more: dict[str, str]) -> str:
    parts = urlsplit(url)
    query = "&".join(filter(None, [parts.query, urlencode(more)]))
    return urlunsplit(parts._replace(query=query))
