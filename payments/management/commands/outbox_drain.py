"""Deliver waiting outbox messages."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from payments import selectors, services
from ticketing.core import clock


class Command(BaseCommand):
    help = "Deliver every message that is due, and print how many wait and how many are dead."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--revive", action="store_true", help="Try dead messages again, too.")

    def handle(self, *args: Any, revive: bool, **options: Any) -> None:
        now = clock.now()
        if revive:
            for pk in selectors.dead_messages():
                services.revive_message(pk=pk, now=now)
        tried = 0
        while count := services.deliver_messages(now=now):
            tried += count
        counts = selectors.outbox_counts()
        self.stdout.write(
            f"{tried} messages were tried; {counts['waiting']} wait, {counts['dead']} are dead."
        )
