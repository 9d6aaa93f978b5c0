"""A server process that is about to stop says so first, to whoever keeps connections open."""

from django.dispatch import Signal

going_down = Signal()
