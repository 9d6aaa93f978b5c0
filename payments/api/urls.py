"""URLs of payments below /api/v1/."""

from django.urls import path

from payments.api import views

app_name = "payments_api"
urlpatterns = [
    path("payments/", views.PaymentsView.as_view(), name="payments"),
    path("payments/<slug:number>/", views.PaymentView.as_view(), name="payment"),
    path("payments/<slug:number>/confirm/", views.ConfirmView.as_view(), name="confirm"),
    path("payments/<slug:number>/cancel/", views.CancelView.as_view(), name="cancel"),
]
