"""The JSON API of payments (docs/api.md). A fan sees their own payments only."""

from rest_framework.permissions import IsAuthenticated

from payments.api import calls
from ticketing.accounts.authentication import FanAuthentication, TokenAuthentication
from ticketing.core.api_views import NoStoreView


class FanView(NoStoreView):
    """For people who are logged in."""

    authentication_classes = [TokenAuthentication, FanAuthentication]
    permission_classes = [IsAuthenticated]


class PaymentsView(FanView):
    post = calls.START.view_method()


class PaymentView(FanView):
    get = calls.SHOW.view_method()


class ConfirmView(FanView):
    post = calls.CONFIRM.view_method()


class CancelView(FanView):
    get = calls.CANCEL_TERMS.view_method()
    post = calls.CANCEL.view_method()
