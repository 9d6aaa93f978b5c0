"""Websocket addresses of the seat map."""

from django.urls import re_path

from reservations.consumers import SeatsSocket

urlpatterns = [
    re_path(r"^ws/events/(?P<event_id>[0-9]{1,18})/seats/$", SeatsSocket.as_asgi()),
]
