"""Addresses of payments for others than programs of ours."""

from django.urls import path

from payments import views

app_name = "payments"
urlpatterns = [
    path("payments/webhooks/portone/", views.portone_webhook, name="portone_webhook"),
]
