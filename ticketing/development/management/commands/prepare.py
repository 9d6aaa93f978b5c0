"""Brings database and static files up to date, in one process because loading the site is slow."""

import hashlib
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import BaseCommand

from ticketing.core import clock
from ticketing.development import demo


class Command(BaseCommand):
    help = "Migrate, make demo data in an empty database (development), collect static files."

    def handle(self, **options: Any) -> None:
        call_command("migrate", interactive=False, verbosity=0)
        if settings.DEVELOPMENT and not demo.has_data():
            demo.create_demo(now=clock.now())
        collect_static_files()


def collect_static_files() -> None:
    """Collect them, unless none has changed since the last time."""
    mark, current = Path(settings.STATIC_ROOT) / ".collected", _fingerprint()
    if mark.exists() and mark.read_text() == current:
        return
    call_command("collectstatic", interactive=False, verbosity=0)
    mark.write_text(current)


def _fingerprint() -> str:
    files = hashlib.sha256()
    for finder in get_finders():
        for name, storage in finder.list([]):
            stat = Path(storage.path(name)).stat()
            files.update(f"{name} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return files.hexdigest()
