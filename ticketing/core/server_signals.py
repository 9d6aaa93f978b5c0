"""Signals of a server process: it has started, or is about to stop."""

from django.dispatch import Signal

server_started = Signal()
server_stopping = Signal()
