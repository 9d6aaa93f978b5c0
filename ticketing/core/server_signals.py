"""Signals of a server process: it has started, or it is about to stop."""

from django.dispatch import Signal

server_started = Signal()
server_stopping = Signal()
