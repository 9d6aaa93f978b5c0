"""Checks a production installation."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ticketing.core import clock
from ticketing.operations import selectors


class Command(BaseCommand):
    help = "Check a production installation, with advice; the exit code is 1 if anything is wrong."
    requires_system_checks = []

    def handle(self, **options: Any) -> None:
        count = 0
        for report in selectors.diagnose(now=clock.now()):
            if not report.findings:
                self.stdout.write(f"{self.style.SUCCESS('✓')} {report.check}")
            for finding in report.findings:
                self.stdout.write(f"{self.style.ERROR('✗')} {report.check}: {finding.problem}")
                self.stdout.write(f"    {finding.advice}")
            count += len(report.findings)
        if count:
            raise CommandError(f"{count} findings; see above.")
