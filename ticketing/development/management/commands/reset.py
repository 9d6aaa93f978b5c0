"""Start from nothing again."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from ticketing.development.embedded.errors import CannotRun
from ticketing.development.embedded.forget import forget


class Command(BaseCommand):
    help = "Forget all data of the default run; refused while it runs."
    requires_system_checks = []

    def handle(self, **options: Any) -> None:
        if not settings.DEVELOPMENT:
            raise CommandError("This is for development only; here are somebody's real files.")
        try:
            gone = forget(settings.VAR_DIR)
        except CannotRun as refusal:
            raise CommandError(str(refusal)) from None
        self.stdout.write("\n".join(f"Removed {path}" for path in gone) or "There was nothing.")
