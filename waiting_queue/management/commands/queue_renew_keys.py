"""Encrypt the secrets of all draws under the newest key."""

from typing import Any

from django.core.management.base import CommandError

from waiting_queue import services
from waiting_queue.management.queue_command import QueueCommand


class Command(QueueCommand):
    help = "Encrypt the secrets of all draws under the newest key; then older keys can go."

    def act(self, **options: Any) -> None:
        renewed, unreadable = services.renew_keys()
        self.stdout.write(f"{renewed:,} queues are encrypted under the newest key.")
        if unreadable:
            events = ", ".join(map(str, unreadable))
            raise CommandError(f"No key fits the secrets of these events: {events}")
