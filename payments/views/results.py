"""Back from the payment window: what became of it, whatever that is."""

from contextlib import suppress

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_safe

from payments import orders, services
from payments.errors import PaymentOver, PaymentsPaused
from payments.models import Payment
from payments.views.checkouts import pay_form
from payments.views.people import caller_of
from payments.views.scenes import Scene, scene_of
from ticketing.core import clock
from ticketing.core.redirects import SeeOther


@never_cache
@require_GET
def returned(request: HttpRequest, number: str) -> HttpResponse:
    """Where the gateway sends the browser. Coming twice changes nothing."""
    told, fan_id, now = request.GET, caller_of(request).id, clock.now()
    if told.get("code"):
        services.turn_back(number=number, fan_id=fan_id, now=now)
    elif told.get("paymentId") == number:
        token, transaction = told.get("paymentToken", "")[:300], told.get("txId", "")[:100]
        with suppress(PaymentOver, PaymentsPaused):  # the page says so
            services.confirm(
                number=number,
                fan_id=fan_id,
                payment_token=token,
                transaction_id=transaction,
                now=now,
            )
    return SeeOther(resolve_url("payments:result", number))


@never_cache
@require_safe
def result(request: HttpRequest, number: str) -> HttpResponse:
    """One address for every state; loading it again only shows what is so now."""
    payment, order = orders.own_payment_with_order(number=number, fan_id=caller_of(request).id)
    scene = scene_of(payment, order, clock.now())
    if scene.name == "refund":
        return SeeOther(resolve_url("payments:order", order.reservation.code))
    return _show(request, scene)


def _show(request: HttpRequest, scene: Scene) -> HttpResponse:
    reservation, payment = scene.order.reservation, scene.payment
    goes_on: Payment | None = payment if payment.is_open else None
    context = {
        "scene": scene,
        "payment": payment,
        "order": scene.order,
        "it": reservation,
        "event": reservation.event,
        "venue": reservation.event.plan.venue,
        "now": scene.now,
        "form": pay_form(reservation, goes_on, scene.now),
    }
    return render(request, "payments/result.html", context)
