"""URLs of payments below /api/v1/."""

from django.urls import path

from payments.api import calls, views

app_name = "payments_api"
urlpatterns = [
    path(calls.START.path, views.PaymentsView.as_view(), name="payments"),
    path(calls.SHOW.path, views.PaymentView.as_view(), name="payment"),
    path(calls.CONFIRM.path, views.ConfirmView.as_view(), name="confirm"),
    path(calls.CANCEL.path, views.CancelView.as_view(), name="cancel"),
]
