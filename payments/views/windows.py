"""The gateway's payment window: the sandbox's own page, or a page of ours that opens PortOne's."""

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

from payments import orders, services
from payments.models import Payment
from payments.views.people import caller_of
from ticketing.core import clock
from ticketing.core.redirects import SeeOther

OPENED = ("script-src", "connect-src", "frame-src", "form-action", "img-src")


@never_cache
@require_safe
def window(request: HttpRequest, number: str) -> HttpResponseBase:
    payment, order = orders.own_payment_with_order(number=number, fan_id=caller_of(request).id)
    if payment.state != Payment.State.PREPARED:
        return SeeOther(resolve_url("payments:result", number))
    if settings.PAYMENTS_SANDBOX:
        return SeeOther(_address_at_the_sandbox(payment))
    event = order.reservation.event
    context = {
        "payment": payment,
        "it": order.reservation,
        "event": event,
        "venue": event.plan.venue,
        "now": clock.now(),
        "sdk_url": settings.PORTONE_SDK_URL,
        "wish": json.dumps(_for_portone(request, payment)),
    }
    return _with_portone_let_in(request, "payments/window.html", context)


def _address_at_the_sandbox(payment: Payment) -> str:
    told = services.checkout_of(payment)
    query = {
        "redirect": reverse("payments:returned", args=[payment.number]),
        "totalAmount": told["total_amount"],
        "currency": told["currency"],
        "orderName": told["order_name"],
        "channelKey": told["channel_key"],
    }
    return f"{reverse('sandbox:checkout', args=[payment.number])}?{urlencode(query)}"


def _for_portone(request: HttpRequest, payment: Payment) -> dict[str, Any]:
    """As `PortOne.requestPayment` wants it; a channel that waits for us answers with a token."""
    told, person = services.checkout_of(payment), request.user
    is_korean = (get_language() or "").startswith("ko")
    return {
        "storeId": told["store_id"],
        "channelKey": told["channel_key"],
        "paymentId": told["payment_id"],
        "orderName": told["order_name"],
        "totalAmount": told["total_amount"],
        "currency": told["currency"],
        "payMethod": settings.PORTONE_PAY_METHOD,
        "customer": {"fullName": caller_of(request).name, "email": str(person)},
        "locale": "KO_KR" if is_korean else "EN_US",
        "redirectUrl": request.build_absolute_uri(
            reverse("payments:returned", args=[payment.number])
        ),
    }


def _with_portone_let_in(
    request: HttpRequest, template: str, context: dict[str, Any]
) -> HttpResponseBase:
    """On this page only: PortOne's hosts, and windows that may answer the page that opened them."""

    def page(request: HttpRequest) -> HttpResponse:
        response = render(request, template, context)
        response["Cross-Origin-Opener-Policy"] = "same-origin-allow-popups"
        return response

    hosts = [SELF, *settings.PORTONE_SDK_HOSTS]
    return csp_update(dict.fromkeys(OPENED, hosts))(page)(request)
