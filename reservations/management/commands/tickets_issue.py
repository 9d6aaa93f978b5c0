"""Issue tickets that are missing."""

from typing import Any

from django.core.management.base import BaseCommand

from reservations import services
from ticketing.core import clock


class Command(BaseCommand):
    help = "Issue tickets for paid orders that have none."

    def handle(self, *args: Any, **options: Any) -> None:
        count = services.issue_missing_tickets(now=clock.now())
        words = "order got its tickets" if count == 1 else "orders got their tickets"
        self.stdout.write(f"{count} {words}.")
