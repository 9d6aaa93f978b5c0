"""The JSON API of payments (docs/api.md). A fan sees their own payments only."""

from typing import Any

from django.utils.translation import get_language
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from payments import selectors, services
from payments.api import documents
from payments.api.serializers import (
    CancelSerializer,
    ConfirmSerializer,
    StartSerializer,
    payment_body,
)
from payments.models import Payment
from ticketing.accounts.authentication import FanAuthentication, TokenAuthentication
from ticketing.core import clock
from ticketing.core.api_views import NoStoreView


class FanView(NoStoreView):
    """For people who are logged in."""

    authentication_classes = [TokenAuthentication, FanAuthentication]
    permission_classes = [IsAuthenticated]


class PaymentsView(FanView):
    @extend_schema(**documents.START)
    def post(self, request: Request) -> Response:
        order = valid(StartSerializer, request.data)
        payment = services.begin_payment(
            code=order["reservation"],
            fan_id=fan_of(request),
            token=order["token"],
            payment_key=order["payment_key"],
            language=get_language() or "",
            now=clock.now(),
        )
        return payment_response(payment, status=201)


class PaymentView(FanView):
    @extend_schema(**documents.SHOW)
    def get(self, request: Request, number: str) -> Response:
        return payment_response(selectors.own_payment(number=number, fan_id=fan_of(request)))


class ConfirmView(FanView):
    @extend_schema(**documents.CONFIRM)
    def post(self, request: Request, number: str) -> Response:
        agreed = valid(ConfirmSerializer, request.data)
        payment = services.confirm_payment(
            number=number, fan_id=fan_of(request), now=clock.now(), **agreed
        )
        is_unsettled = payment.state == Payment.State.CHARGING
        return payment_response(payment, status=202 if is_unsettled else 200)


class CancelView(FanView):
    @extend_schema(**documents.CANCEL_TERMS)
    def get(self, request: Request, number: str) -> Response:
        terms = services.cancellation_terms(number=number, fan_id=fan_of(request), now=clock.now())
        return Response({"percent": terms.percent, "fee": terms.fee, "back": terms.refund})

    @extend_schema(**documents.CANCEL)
    def post(self, request: Request, number: str) -> Response:
        fee = valid(CancelSerializer, request.data)["fee"]
        payment = services.cancel_order(
            number=number, fan_id=fan_of(request), fee=fee, now=clock.now()
        )
        is_unsettled = payment.state == Payment.State.REFUNDING
        return payment_response(payment, status=202 if is_unsettled else 200)


def payment_response(payment: Payment, status: int = 200) -> Response:
    can_be_paid = payment.state == Payment.State.PREPARED
    checkout = services.checkout_parameters(payment) if can_be_paid else None
    return Response(payment_body(payment, clock.now(), checkout), status=status)


def fan_of(request: Request) -> int:
    caller: Any = request.user
    return int(caller.id)


def valid(serializer: Any, data: Any) -> dict[str, Any]:
    read = serializer(data=data)
    read.is_valid(raise_exception=True)
    return read.validated_data
