"""The payment window: the sandbox's page, or a page of ours that opens PortOne's."""

import json
from typing import Any
from urllib.parse import urlencode

from csp.constants import SELF
from csp.decorators import csp_update
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render, resolve_url
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from payments import selectors, services
from payments.models import Payment
from payments.views.caller import caller_of
from payments.views.checkout import order_context
from payments.views.fast_routes import PREPARE
from ticketing.core import clock
from ticketing.core.redirects import SeeOther

PORTONE_DIRECTIVES = ("script-src", "connect-src", "frame-src", "form-action", "img-src")


@never_cache
@require_safe
def window(request: HttpRequest, number: str) -> HttpResponseBase:
    """Shown once the amount is registered at the gateway, which the fast route has done."""
    whose: Any = {"number": number, "fan_id": caller_of(request).id}
    payment, order = selectors.own_payment_with_order(**whose)
    if payment.state == Payment.State.PENDING:  # only few threads may wait for the gateway
        if url := PREPARE(**whose, now=clock.now()):
            return SeeOther(url)
        payment, order = selectors.own_payment_with_order(**whose)
    if payment.state != Payment.State.PREPARED:
        return SeeOther(resolve_url("payments:result", number))
    if settings.PAYMENTS_SANDBOX:
        return SeeOther(_sandbox_url(payment))
    context = order_context(order, clock.now()) | {
        "payment": payment,
        "sdk_url": settings.PORTONE_SDK_URL,
        "portone_request": json.dumps(_portone_request(request, payment)),
    }
    return allow_portone(request, "payments/window.html", context)


def _sandbox_url(payment: Payment) -> str:
    checkout = services.checkout_parameters(payment)
    query = {
        "redirect": reverse("payments:returned", args=[payment.number]),
        "totalAmount": checkout["total_amount"],
        "currency": checkout["currency"],
        "orderName": checkout["order_name"],
        "channelKey": checkout["channel_key"],
    }
    return f"{reverse('sandbox:checkout', args=[payment.number])}?{urlencode(query)}"


def _portone_request(request: HttpRequest, payment: Payment) -> dict[str, Any]:
    """The argument of `PortOne.requestPayment`."""
    checkout, person = services.checkout_parameters(payment), request.user
    is_korean = (get_language() or "").startswith("ko")
    return {
        "storeId": checkout["store_id"],
        "channelKey": checkout["channel_key"],
        "paymentId": checkout["payment_id"],
        "orderName": checkout["order_name"],
        "totalAmount": checkout["total_amount"],
        "currency": checkout["currency"],
        "payMethod": settings.PORTONE_PAY_METHOD,
        "customer": {"fullName": caller_of(request).name, "email": str(person)},
        "locale": "KO_KR" if is_korean else "EN_US",
        "redirectUrl": request.build_absolute_uri(
            reverse("payments:returned", args=[payment.number])
        ),
    }


def allow_portone(request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponseBase:
    """Allow PortOne's hosts and popups that talk to their opener, on this page only."""

    def page(request: HttpRequest) -> HttpResponse:
        response = render(request, template, context)
        response["Cross-Origin-Opener-Policy"] = "same-origin-allow-popups"
        return response

    hosts = [SELF, *settings.PORTONE_SDK_HOSTS]
    return csp_update(dict.fromkeys(PORTONE_DIRECTIVES, hosts))(page)(request)
