"""Deletes all data of `manage.py up`."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from ticketing.development.embedded.errors import CannotRun
from ticketing.development.runner.reset import delete_data


class Command(BaseCommand):
    help = "Delete all data of `manage.py up`; refused while it runs."
    requires_system_checks = []

    def handle(self, **options: Any) -> None:
        if not settings.DEVELOPMENT:
            raise CommandError("This is for development only; it would delete real data.")
        try:
            deleted = delete_data(settings.VAR_DIR)
        except CannotRun as refusal:
            raise CommandError(str(refusal)) from None
        self.stdout.write("\n".join(f"Removed {path}" for path in deleted) or "There was no data.")
