"""The console's websocket addresses."""

from django.urls import path, re_path

from ticketing.console.consumers import ConsoleSocket, OverviewSocket

urlpatterns = [
    path("ws/console/", OverviewSocket.as_asgi()),
    re_path(r"^ws/console/(?P<event_id>[0-9]{1,18})/$", ConsoleSocket.as_asgi()),
]
