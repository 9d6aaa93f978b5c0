"""Writes a backup."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from ticketing.core import clock
from ticketing.operations import services


class Command(BaseCommand):
    help = "Write the database, the uploads and a description into a new folder."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        default = settings.VAR_DIR / "backups"
        parser.add_argument("folder", type=Path, nargs="?", default=default, help=str(default))
        parser.add_argument("--keep", type=int, metavar="N", help="Delete all but the newest N.")

    def handle(self, *, folder: Path, keep: int | None, **options: Any) -> None:
        backup = services.create_backup(folder=folder, now=clock.now())
        size = sum(file.stat().st_size for file in backup.iterdir())
        self.stdout.write(f"{backup} ({size / 1024**2:.1f} MB)")
        for old in services.delete_old_backups(folder=folder, keep=keep) if keep else []:
            self.stdout.write(f"Deleted {old}")
        self.stdout.write("Keep it on another machine, and its keys somewhere else.")
