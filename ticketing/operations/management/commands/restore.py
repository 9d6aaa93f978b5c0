"""Restores a backup into an empty installation."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import translation

from ticketing.core import clock
from ticketing.operations import services


class Command(BaseCommand):
    help = "Restore a backup into an empty database; rebuilds the queues and reconciles the money."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="The folder that `backup` wrote.")
        parser.add_argument("--clear-redis", action="store_true", help="Empty Redis first.")

    def handle(self, *, folder: Path, clear_redis: bool, **options: Any) -> None:
        restored = services.restore_backup(folder=folder, clear_redis=clear_redis, now=clock.now())
        write, backup = self.stdout.write, restored.backup
        write(f"Restored what was there at {backup.made_at} (version {backup.version}).")
        for event_id, count in restored.queues.items():
            write(f"Queue {event_id}: rebuilt, {count} people are known.")
        for name, loss in backup.changed_keys().items():
            self.stderr.write(f"{name} is not that of the backup: {loss}.")
        with translation.override("en"):  # as all output of commands
            for day, each in restored.differences:
                self.stderr.write(f"{day} {each.number}: {each.label}.")
        if restored.differences:
            raise CommandError(
                f"{len(restored.differences)} payments differ from the gateway's; see above. "
                "Those that the gateway alone knows are refunded there."
            )
        write("The gateway and the database agree on all payments since then.")
