"""Correct the gate and the count of free seats in Redis from PostgreSQL."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from reservations import services
from ticketing.core import clock
from ticketing.events.models import Event


class Command(BaseCommand):
    help = "Rebuild gate and count from the database; says what was wrong. Safe at any time."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "events", type=int, nargs="*", metavar="EVENT", help="Number; none: all on sale."
        )

    def handle(self, *args: Any, events: list[int], **options: Any) -> None:
        on_sale = Event.objects.filter(state=Event.State.ON_SALE).order_by("pk")
        wrong = [self.reconcile(pk) for pk in events or on_sale.values_list("pk", flat=True)]
        if any(wrong):
            raise CommandError("Some seats are not what their reservations say; see above.")

    def reconcile(self, event_id: int) -> bool:
        """Rebuild one event; True if its seats contradict their reservations."""
        count = services.rebuild_gate(event_id=event_id, now=clock.now())
        before = "unknown" if count.left is None else count.left
        self.stdout.write(
            f"Event {event_id}: {count.free} seats free (Redis said {before}), "
            f"{count.gates} gates shut{'' if count.stored else '; seats change, count again'}."
        )
        inconsistent = services.inconsistent_seats(event_id=event_id)
        for (seat, reservation), number in inconsistent.items():
            text = f"{number} seats are {seat}, their reservation {reservation or 'is missing'}"
            self.stderr.write(f"Event {event_id}: {text}.")
        return bool(inconsistent)
