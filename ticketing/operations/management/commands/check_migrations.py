"""Checks that new migrations can be applied while old processes run."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ticketing.operations import migration_rules


class Command(BaseCommand):
    help = "Check that migrations since the last release need no downtime."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--release", action="store_true", help="Record all of them as released."
        )

    def handle(self, *, release: bool, **options: Any) -> None:
        if release:
            self.stdout.write(f"{migration_rules.record_release()} migrations are released.")
        if found := migration_rules.unreleased_problems():
            raise CommandError("\n".join([*found, "See docs/operations.md#migrations."]))
