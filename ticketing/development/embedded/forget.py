"""Forgetting everything that the default run has written, and nothing else."""

import shutil
from pathlib import Path

from ticketing.development.embedded.lock import Lock
from ticketing.development.embedded.places import places

OURS = (
    "postgres*",
    "valkey*",
    "run",
    "log",
    "static",
    "media",
    "mails",
    "secret_key",
    "beat-schedule*",
)


def forget(var: Path) -> list[Path]:
    """What was removed; refused while a run uses it."""
    if not var.exists():
        return []
    Lock(var).take()
    gone = sorted(path for pattern in OURS for path in var.glob(pattern)) + moved(var)
    for path in gone:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    return gone


def moved(var: Path) -> list[Path]:
    """The folders beside `var`, where the servers could not reach it or its name was too long."""
    used = places(var)
    outside = [folder for folder in (used.run, used.data) if var.absolute() not in folder.parents]
    return [folder for folder in outside if folder != var.absolute() and folder.exists()]
