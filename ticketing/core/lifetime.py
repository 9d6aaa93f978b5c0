"""A server process says that it has come up, to whoever keeps an eye on processes."""

from django.dispatch import Signal

came_up = Signal()
