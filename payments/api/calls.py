"""The calls of everybody who pays, declared once for the event loop and for Django.

In the event loop nobody's thread waits for the gateway. What only Django understands, such as a
body without a length, waits in a page thread, but in few of them at a time.
"""

from typing import Any

from payments import selectors, services
from payments.api import documents
from payments.api.serializers import (
    CancelSerializer,
    ConfirmSerializer,
    StartSerializer,
    payment_body,
    terms_body,
    validated,
)
from payments.models import Payment
from payments.services import CancellationTerms
from ticketing.accounts.authentication import FanAuthentication
from ticketing.core import clock
from ticketing.core.event_loop import PAGE_THREADS, blocking
from ticketing.core.fast_path.calls import ApiCall, may_not_accept_json
from ticketing.core.fast_path.requests import ApiRequest
from ticketing.core.fast_path.responses import ApiResponse, language_of
from ticketing.core.fast_path.threads import in_thread

UNSETTLED = (Payment.State.CHARGING, Payment.State.REFUNDING)


def own(request: ApiRequest) -> dict[str, Any]:
    return {"number": request.path_params["number"], "fan_id": int(request.caller.id)}


def own_now(request: ApiRequest) -> dict[str, Any]:
    return own(request) | {"now": request.now}


def start_arguments(request: ApiRequest) -> dict[str, Any]:
    order = validated(StartSerializer, request.data)
    return {
        "code": order["reservation"],
        "fan_id": int(request.caller.id),
        "token": order["token"],
        "payment_key": order["payment_key"],
        "language": language_of(request.headers),
        "consents": order["consents"],
        "now": request.now,
    }


def confirm_arguments(request: ApiRequest) -> dict[str, Any]:
    return own_now(request) | validated(ConfirmSerializer, request.data)


def cancel_arguments(request: ApiRequest) -> dict[str, Any]:
    return own_now(request) | validated(CancelSerializer, request.data)


async def ashow_payment(**whose: Any) -> Payment:
    return await in_thread(selectors.own_payment, **whose)


async def ashow_cancel_terms(**whose: Any) -> CancellationTerms:
    return await in_thread(services.cancellation_terms, **whose)


def render_started(request: ApiRequest, payment: Payment) -> ApiResponse:
    return ApiResponse(201, body_of(payment))


def render_payment(request: ApiRequest, payment: Payment) -> ApiResponse:
    return ApiResponse(200, body_of(payment))


def render_outcome(request: ApiRequest, payment: Payment) -> ApiResponse:
    """202 while a worker goes on; its result is pushed to the payment's socket."""
    return ApiResponse(202 if payment.state in UNSETTLED else 200, body_of(payment))


def render_terms(request: ApiRequest, terms: CancellationTerms) -> ApiResponse:
    return ApiResponse(200, terms_body(terms))


def body_of(payment: Payment) -> dict[str, Any]:
    can_be_paid = payment.state == Payment.State.PREPARED
    checkout = services.checkout_parameters(payment) if can_be_paid else None
    return payment_body(payment, clock.now(), checkout)


START = ApiCall(
    method="POST",
    path="payments/",
    document=documents.START,
    authentication=FanAuthentication,
    reads_body=True,
    arguments=start_arguments,
    service=blocking(services.abegin_payment, at_most=PAGE_THREADS),
    aservice=services.abegin_payment,
    render=render_started,
    takes_slot=True,
)
SHOW = ApiCall(
    method="GET",
    path="payments/<slug:number>/",
    document=documents.SHOW,
    authentication=FanAuthentication,
    falls_through=may_not_accept_json,
    arguments=own,
    service=selectors.own_payment,
    aservice=ashow_payment,
    render=render_payment,
    takes_slot=True,
)
CONFIRM = ApiCall(
    method="POST",
    path="payments/<slug:number>/confirm/",
    document=documents.CONFIRM,
    authentication=FanAuthentication,
    reads_body=True,
    arguments=confirm_arguments,
    service=blocking(services.aconfirm_payment, at_most=PAGE_THREADS),
    aservice=services.aconfirm_payment,
    render=render_outcome,
    takes_slot=True,
)
CANCEL_TERMS = ApiCall(
    method="GET",
    path="payments/<slug:number>/cancel/",
    document=documents.CANCEL_TERMS,
    authentication=FanAuthentication,
    falls_through=may_not_accept_json,
    arguments=own_now,
    service=services.cancellation_terms,
    aservice=ashow_cancel_terms,
    render=render_terms,
    takes_slot=True,
)
CANCEL = ApiCall(
    method="POST",
    path="payments/<slug:number>/cancel/",
    document=documents.CANCEL,
    authentication=FanAuthentication,
    reads_body=True,
    arguments=cancel_arguments,
    service=blocking(services.acancel_order, at_most=PAGE_THREADS),
    aservice=services.acancel_order,
    render=render_outcome,
    takes_slot=True,
)
CALLS = [START, SHOW, CONFIRM, CANCEL_TERMS, CANCEL]
