"""The page after the payment window: the outcome of a payment, whatever it is."""

from datetime import datetime

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_safe

from payments import selectors
from payments.errors import PaymentsPaused
from payments.models import Payment
from payments.selectors import Order
from payments.views.caller import caller_of
from payments.views.checkout import order_context, pay_form
from payments.views.fast_routes import FINISH, PAUSED
from payments.views.page_state import page_state
from ticketing.core import clock
from ticketing.core.redirects import SeeOther


@never_cache
@require_GET
def returned(request: HttpRequest, number: str) -> HttpResponse:
    """Where the gateway sends the browser. The fast route answers whoever is logged in."""
    fan_id, now = caller_of(request).id, clock.now()
    return SeeOther(FINISH(request.GET, number=number, fan_id=fan_id, now=now))


@never_cache
@require_safe
def result(request: HttpRequest, number: str) -> HttpResponse:
    """One URL for every state; loading it again shows the present one."""
    fan_id, now = caller_of(request).id, clock.now()
    payment, order = selectors.own_payment_with_order(number=number, fan_id=fan_id)
    state = page_state(payment, order, now)
    if state.name == "refund":
        return SeeOther(resolve_url("payments:order", order.reservation.code))
    if PAUSED in request.GET and payment.state == Payment.State.PENDING:
        pause = PaymentsPaused()
        messages.error(request, f"{pause} {pause.advice}")
    context = order_context(order, now) | {
        "page_state": state,
        "payment": payment,
        "form": _pay_form(order, payment, now),
    }
    return render(request, "payments/result.html", context)


def _pay_form(order: Order, payment: Payment, now: datetime) -> dict[str, str]:
    """Continues the payment; another one begins under the terms that were agreed to, or asks."""
    if payment.is_open:
        return pay_form(order.reservation, payment, now)
    agreed = selectors.policy_of_payment(payment)
    return pay_form(order.reservation, None, now) | {"terms": agreed.digest}
