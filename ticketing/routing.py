"""Websocket addresses, most specific first."""

from django.urls import re_path

from payments import routing as payments
from reservations import routing as reservations
from ticketing.console import routing as console
from ticketing.core.live.sockets import NoSuchSocket
from waiting_queue import routing as queue

urlpatterns = [
    *queue.urlpatterns,
    *reservations.urlpatterns,
    *payments.urlpatterns,
    *console.urlpatterns,
    re_path(r"", NoSuchSocket.as_asgi()),
]
