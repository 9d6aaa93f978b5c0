"""Addresses below /api/v1/ for payments."""

from django.urls import path

from payments import api

app_name = "payments_api"
urlpatterns = [
    path("payments/", api.PaymentsView.as_view(), name="payments"),
    path("payments/<slug:number>/", api.PaymentView.as_view(), name="payment"),
    path("payments/<slug:number>/confirm/", api.ConfirmView.as_view(), name="confirm"),
    path("payments/<slug:number>/cancel/", api.CancelView.as_view(), name="cancel"),
]
