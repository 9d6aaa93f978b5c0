"""Deletes what `manage.py up` has written, and nothing else."""

import shutil
from pathlib import Path

from ticketing.development.embedded.paths import server_paths
from ticketing.development.runner.run_lock import RunLock

PATTERNS = (
    "postgres*",
    "valkey*",
    "run",
    "log",
    "static",
    "media",
    "mails",
    "metrics",
    "secret_key",
    "beat-schedule*",
)


def delete_data(var: Path) -> list[Path]:
    """Delete the data and return the deleted paths; refused while a run uses them."""
    if not var.exists():
        return []
    RunLock(var).acquire()
    deleted = sorted(path for pattern in PATTERNS for path in var.glob(pattern)) + outside_folders(
        var
    )
    for path in deleted:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    return deleted


def outside_folders(var: Path) -> list[Path]:
    """Server folders outside `var`: it was unreachable for the servers or its path too long."""
    paths = server_paths(var)
    outside = [folder for folder in (paths.run, paths.data) if var.absolute() not in folder.parents]
    return [folder for folder in outside if folder != var.absolute() and folder.exists()]
