"""Settle payments that are due."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from payments import selectors, services
from ticketing.core import clock


class Command(BaseCommand):
    help = "Settle every payment that is due, or the named ones, as the workers do."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("numbers", nargs="*", metavar="NUMBER", help="None: all that are due.")

    def handle(self, *args: Any, numbers: list[str], **options: Any) -> None:
        now = clock.now()
        state = selectors.breaker_state()
        self.stdout.write(f"Breaker {state.state}: {state.failures} of {state.calls} calls failed.")
        due = selectors.payment_ids(numbers) if numbers else services.claim_due_payments(now=now)
        for pk in due:
            payment = services.settle_by_operator(pk=pk, by=None, now=now)
            self.stdout.write(f"{payment.number}: {payment.state}")
        self.stdout.write(f"{len(due)} payments were looked at.")
