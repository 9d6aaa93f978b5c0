"""End expired holds."""

from typing import Any

from django.core.management.base import BaseCommand

from reservations import services
from ticketing.core import clock


class Command(BaseCommand):
    help = "End every hold whose time is up, as the task does every two seconds."
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"{services.expire_holds(now=clock.now())} holds ran out.")
