"""Writes backups: the database first, then the uploads that its rows name."""

import shutil
import tarfile
from datetime import datetime
from pathlib import Path

from django.conf import settings

from ticketing.operations.backup_files import (
    DATABASE,
    MEDIA,
    Description,
    checksum,
    fingerprints,
    newest_migrations,
)
from ticketing.operations.postgres_programs import run_program, server_version
from ticketing.operations.versions import VERSION

NAME = "ticketing-%Y%m%d-%H%M%S"
DRAFT = ".draft"


def create_backup(*, folder: Path, now: datetime) -> Path:
    """Write a backup into a new folder below this one. An aborted one never gets its name."""
    backup = folder / now.strftime(NAME)
    draft = backup.with_name(backup.name + DRAFT)
    draft.mkdir(parents=True, mode=0o700)
    run_program(
        *("pg_dump", "--format=custom", "--no-owner", "--no-privileges"),
        *("--file", draft / DATABASE),
    )
    _pack_media(draft / MEDIA)
    Description(
        made_at=now.isoformat(),
        version=VERSION,
        postgresql=server_version(),
        migrations=newest_migrations(),
        keys=fingerprints(),
        files={file.name: checksum(file) for file in sorted(draft.iterdir())},
    ).save(draft)
    return draft.rename(backup)


def _pack_media(file: Path) -> None:
    """Storage in a bucket has backups of its own."""
    if settings.MEDIA_S3_BUCKET or not Path(settings.MEDIA_ROOT).is_dir():
        return
    with tarfile.open(file, "w") as archive:
        archive.add(settings.MEDIA_ROOT, arcname=".")


def delete_old_backups(*, folder: Path, keep: int) -> list[Path]:
    """Delete all but the newest ones, and what was aborted."""
    backups = sorted(path for path in folder.glob("ticketing-*") if path.suffix != DRAFT)
    old = [*folder.glob(f"ticketing-*{DRAFT}"), *backups[: max(0, len(backups) - keep)]]
    for path in old:
        shutil.rmtree(path)
    return old
