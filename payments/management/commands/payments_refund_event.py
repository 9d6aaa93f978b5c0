"""Refund every payment of an event."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from payments import selectors, services
from ticketing.core import clock


class Command(BaseCommand):
    help = "Refund every payment of an event in full and release the seats. Can be repeated."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("event", type=int, metavar="EVENT")
        parser.add_argument("why", help="For the books, and the gateway.")

    def handle(self, *args: Any, event: int, why: str, **options: Any) -> None:
        now = clock.now()
        total = selectors.refundable_payments(event, now).count()
        self.stdout.write(f"{total} payments are to go back.")

        def show_progress(done: int) -> None:
            self.stdout.write(f"  {done} of {total} …")
            self.stdout.flush()

        begun = services.refund_event(
            event_id=event, why=why, by=None, now=now, on_progress=show_progress
        )
        self.stdout.write(f"{begun} refunds were begun.")
        for state, count in sorted(selectors.refund_progress(event).items()):
            self.stdout.write(f"  {state}: {count}")
