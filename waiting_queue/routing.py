"""Websocket addresses of the queue."""

from django.urls import re_path

from waiting_queue.consumers import QueueSocket

urlpatterns = [
    re_path(r"^ws/events/(?P<event_id>[0-9]{1,18})/queue/$", QueueSocket.as_asgi()),
]
