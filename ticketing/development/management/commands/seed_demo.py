"""Fills an empty database with demo data."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ticketing.core import clock
from ticketing.development import demo


class Command(BaseCommand):
    help = "Fill an empty database with demo events, an operator and some fans."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--if-empty", action="store_true", help="Do nothing if there is data already."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if demo.has_data():
            if options["if_empty"]:
                return
            raise CommandError("There is data already; the demo needs an empty database.")
        events = demo.create_demo(now=clock.now())
        self.stdout.write(f"{len(events)} events created. Log in as:")
        for email, password, who in demo.DEMO_LOGINS:
            self.stdout.write(f"  {email}  {password}  ({who})")
