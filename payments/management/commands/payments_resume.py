"""Go on with payments that are not settled."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from payments import selectors, services
from ticketing.core import clock


class Command(BaseCommand):
    help = "Look at every payment that is due, or at the named ones, as the workers do."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("numbers", nargs="*", metavar="NUMBER", help="None: all that are due.")

    def handle(self, *args: Any, numbers: list[str], **options: Any) -> None:
        now = clock.now()
        state = selectors.breaker_state()
        self.stdout.write(f"Breaker {state.word}: {state.bad} of {state.calls} calls failed.")
        due = selectors.numbered(numbers) if numbers else services.claim_due_payments(now=now)
        for pk in due:
            payment = services.resume_by_operator(pk=pk, by=None, now=now)
            self.stdout.write(f"{payment.number}: {payment.state}")
        self.stdout.write(f"{len(due)} payments were looked at.")
