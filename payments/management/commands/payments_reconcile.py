"""Compare our payments with the gateway's and with the seats."""

from argparse import ArgumentParser
from datetime import date, timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import translation
from django.utils.timezone import localtime

from payments import services
from ticketing.core import clock


class Command(BaseCommand):
    help = "Compare day by day, print what differs; the exit code is 1 if anything does."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--from", dest="first", type=date.fromisoformat, metavar="DAY")
        parser.add_argument("--to", dest="last", type=date.fromisoformat, metavar="DAY")
        parser.add_argument(
            "--mend", action="store_true", help="Have payments that differ settled again."
        )

    def handle(
        self, *args: Any, first: date | None, last: date | None, mend: bool, **options: Any
    ) -> None:
        last = last or localtime(clock.now()).date()
        day, count = first or last, 0
        while day <= last:
            count += self.compare(day, mend)
            day += timedelta(days=1)
        if count:
            raise CommandError(f"{count} differences; see above.")

    def compare(self, day: date, mend: bool) -> int:
        differences = services.reconcile(day=day, now=clock.now(), mend=mend)
        with translation.override("en"):  # as all output of commands
            for each in differences:
                self.stderr.write(f"{day} {each.number}: {each.label}.")
        self.stdout.write(f"{day}: {len(differences) or 'no'} differences.")
        return len(differences)
