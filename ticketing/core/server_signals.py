"""Signals of a server process: it has started, is behind (each second), or is about to stop.

One that has started with `is_apart` is none of the site's own.
"""

from django.dispatch import Signal

server_started = Signal()
server_behind = Signal()
server_stopping = Signal()
