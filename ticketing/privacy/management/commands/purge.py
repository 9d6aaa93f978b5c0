"""Delete data that is older than its retention."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from ticketing.core import clock
from ticketing.privacy import services


class Command(BaseCommand):
    help = "Delete what is older than its retention (docs/security.md), and print the counts."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="Only count.")

    def handle(self, *args: Any, dry_run: bool, **options: Any) -> None:
        now, error = clock.now(), ""
        if dry_run:
            counts = services.counts_due(now=now)
        else:
            run = services.purge(now=now)
            counts, error = run.counts, run.error
        for kind, count in counts.items():
            self.stdout.write(f"{kind:18} {count:>10,}")
        if error:
            self.stderr.write(f"Failed: {error}")
