"""Errors that end `manage.py up`, worded for the person who started it."""

import errno
import shutil
from pathlib import Path

DISK_FULL = "No space left on device"


class CannotRun(Exception):
    """The message says what is wrong and what to do about it."""


class StopRequested(Exception):
    """Ctrl-C or another stop signal arrived."""


def disk_full(folder: Path) -> CannotRun:
    return CannotRun(
        f"The disk is full: {free_megabytes(folder)} MB are free for {folder}.\n"
        "Free some space and start again; what was written so far is kept."
    )


def cannot_write(problem: OSError, folder: Path) -> CannotRun:
    """An operating system error, with a way to fix it."""
    if problem.errno in {errno.ENOSPC, errno.EDQUOT}:
        return disk_full(folder)
    return CannotRun(
        f"{problem.filename or folder}: {problem.strerror or problem}.\n"
        f"Everything is kept in {folder}: make it writable, or choose another with VAR_DIR=…"
    )


def free_megabytes(folder: Path) -> int:
    """Free space where this folder is or will be."""
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    return shutil.disk_usage(existing).free // 1024**2
