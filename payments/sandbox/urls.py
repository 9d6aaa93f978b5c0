from django.urls import path

from payments.sandbox import views
from payments.sandbox.api import views as api

app_name = "sandbox"
urlpatterns = [
    path("checkout/<str:payment_id>", views.checkout, name="checkout"),
    path("payments", api.payments),
    path("payments-by-cursor", api.payments_by_cursor),
    path("payments/<str:payment_id>", api.payment),
    path("payments/<str:payment_id>/pre-register", api.pre_register),
    path("payments/<str:payment_id>/confirm", api.confirm),
    path("payments/<str:payment_id>/capture", api.capture),
    path("payments/<str:payment_id>/cancel", api.cancel),
    path("payments/<str:payment_id>/resend-webhook", api.resend_webhook),
]
