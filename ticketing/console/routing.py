"""The console's websocket address."""

from django.urls import re_path

from ticketing.console.consumers import ConsoleSocket

urlpatterns = [
    re_path(r"^ws/console/(?P<event_id>[0-9]{1,18})/$", ConsoleSocket.as_asgi()),
]
