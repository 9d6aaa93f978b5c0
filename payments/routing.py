"""Websocket addresses of payments."""

from django.urls import re_path

from payments.consumers import PaymentSocket

urlpatterns = [
    re_path(r"^ws/payments/(?P<number>[-a-zA-Z0-9_]{1,40})/$", PaymentSocket.as_asgi()),
]
