"""Refund every payment of an event."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import translation

from payments import selectors, services
from ticketing.accounts.models import User
from ticketing.core import clock
from ticketing.events.errors import ApprovalNeeded


class Command(BaseCommand):
    help = "Refund every payment of an event in full and release the seats. Can be repeated."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("event", type=int, metavar="EVENT")
        parser.add_argument("why", help="For the books, and the gateway.")
        parser.add_argument("--by", default="", metavar="EMAIL", help="Operator who does this.")

    def handle(self, *args: Any, event: int, why: str, by: str, **options: Any) -> None:
        now, user = clock.now(), self.user(by)
        total = selectors.refundable_payments(event, now).count()
        self.stdout.write(f"{total} payments are to go back.")

        def show_progress(done: int) -> None:
            self.stdout.write(f"  {done} of {total} …")
            self.stdout.flush()

        try:
            begun = services.refund_event(
                event_id=event, why=why, by=user, now=now, on_progress=show_progress
            )
        except ApprovalNeeded as needed:
            with translation.override("en"):
                raise CommandError(f"{needed} {needed.advice}") from None
        self.stdout.write(f"{begun} refunds were begun.")
        for state, count in sorted(selectors.refund_progress(event).items()):
            self.stdout.write(f"  {state}: {count}")

    def user(self, email: str) -> User | None:
        found = User.objects.filter(email__iexact=email).first() if email else None
        if email and found is None:
            raise CommandError(f"Nobody has the address {email}.")
        return found
