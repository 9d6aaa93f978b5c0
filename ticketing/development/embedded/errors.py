"""Why the default run can't go on, in words for the person who started it."""

import errno
import shutil
from pathlib import Path

DISK_FULL = "No space left on device"


class CannotRun(Exception):
    """The message says what is so and what to do about it."""


class StopAsked(Exception):
    """Ctrl-C, or another polite signal, in the middle of a step."""


def disk_full(folder: Path) -> CannotRun:
    return CannotRun(
        f"The disk is full: {free_megabytes(folder)} MB are free for {folder}.\n"
        "Free some space and start again; what was written so far is kept."
    )


def cannot_write(problem: OSError, folder: Path) -> CannotRun:
    """An error of the operating system, with the way out of it."""
    if problem.errno in {errno.ENOSPC, errno.EDQUOT}:
        return disk_full(folder)
    return CannotRun(
        f"{problem.filename or folder}: {problem.strerror or problem}.\n"
        f"Everything is kept in {folder}: make it writable, or choose another with VAR_DIR=…"
    )


def free_megabytes(folder: Path) -> int:
    """Free space where this folder is or will be."""
    there = next(place for place in (folder, *folder.parents) if place.exists())
    return shutil.disk_usage(there).free // 1024**2
