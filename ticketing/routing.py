"""Websocket addresses, most specific first."""

from django.urls import re_path

from ticketing.core.sockets import NoSuchSocket

urlpatterns = [
    re_path(r"", NoSuchSocket.as_asgi()),
]
