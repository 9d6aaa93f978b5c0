"""The JSON API of payments (docs/api.md). Everything is found through its owner."""

from typing import Any

from django.utils.translation import get_language
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from payments import api_documents as documents
from payments import selectors, services
from payments.api_serializers import (
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
        wish = valid(StartSerializer, request.data)
        wish["code"] = wish.pop("reservation")
        language = get_language() or ""
        payment = services.start(fan_id=fan_of(request), language=language, now=clock.now(), **wish)
        return told(payment, status=201)


class PaymentView(FanView):
    @extend_schema(**documents.SHOW)
    def get(self, request: Request, number: str) -> Response:
        return told(selectors.own_payment(number=number, fan_id=fan_of(request)))


class ConfirmView(FanView):
    @extend_schema(**documents.CONFIRM)
    def post(self, request: Request, number: str) -> Response:
        agreed = valid(ConfirmSerializer, request.data)
        payment = services.confirm(number=number, fan_id=fan_of(request), now=clock.now(), **agreed)
        return told(payment, status=202 if payment.state == Payment.State.CHARGING else 200)


class CancelView(FanView):
    @extend_schema(**documents.CANCEL_TERMS)
    def get(self, request: Request, number: str) -> Response:
        terms = services.cancel_terms(number=number, fan_id=fan_of(request), now=clock.now())
        return Response({"percent": terms.percent, "fee": terms.fee, "back": terms.back})

    @extend_schema(**documents.CANCEL)
    def post(self, request: Request, number: str) -> Response:
        fee = valid(CancelSerializer, request.data)["fee"]
        payment = services.cancel_by_fan(
            number=number, fan_id=fan_of(request), fee=fee, now=clock.now()
        )
        return told(payment, status=202 if payment.state == Payment.State.REFUNDING else 200)


def told(payment: Payment, status: int = 200) -> Response:
    can_be_paid = payment.state == Payment.State.PREPARED
    checkout = services.checkout_of(payment) if can_be_paid else None
    return Response(payment_body(payment, clock.now(), checkout), status=status)


def fan_of(request: Request) -> int:
    caller: Any = request.user
    return int(caller.id)


def valid(serializer: Any, data: Any) -> dict[str, Any]:
    read = serializer(data=data)
    read.is_valid(raise_exception=True)
    return read.validated_data
