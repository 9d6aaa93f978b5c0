"""Websocket addresses, most specific first."""

from django.urls import re_path

from ticketing.core.sockets import NoSuchSocket
from waiting_queue import routing as queue

urlpatterns = [
    *queue.urlpatterns,
    re_path(r"", NoSuchSocket.as_asgi()),
]
