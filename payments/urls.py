"""URLs of payments: pages and the gateway's webhook."""

from django.urls import path

from payments import views

app_name = "payments"
urlpatterns = [
    path("payments/webhooks/portone/", views.portone_webhook, name="portone_webhook"),
    path("payments/<slug:number>/", views.result, name="result"),
    path("payments/<slug:number>/window/", views.window, name="window"),
    path("payments/<slug:number>/return/", views.returned, name="returned"),
    path("payments/<slug:number>/stop/", views.abort, name="abort"),
    path("verify/", views.verify, name="verify"),
    path("verify/<slug:number>/", views.verified, name="verified"),
    path("orders/", views.orders, name="orders"),
    path("orders/<slug:code>/", views.order, name="order"),
    path("orders/<slug:code>/pay/", views.checkout, name="checkout"),
    path("orders/<slug:code>/cancel/", views.cancel, name="cancel"),
    path("orders/<slug:code>/receipt/", views.receipt, name="receipt"),
]
