"""Stores mails as files named by the time they were sent."""

import os
import re
from datetime import datetime
from itertools import count
from pathlib import Path
from secrets import token_hex

from django.conf import settings

MAX_MAILS = 1000
# Listing the folder takes longer than making a mail, so it is done once in so many mails.
DELETE_EVERY = 100
_stored = count()
NAME = re.compile(r"\d{8}-\d{12}-[0-9a-f]{8}")


def store(content: bytes, *, now: datetime) -> str:
    """Store a mail atomically and return its name."""
    folder, name = _folder(), f"{now:%Y%m%d-%H%M%S%f}-{token_hex(4)}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = folder / f"{name}.part"
    unfinished.write_bytes(content)
    os.replace(unfinished, folder / f"{name}.eml")
    if next(_stored) % DELETE_EVERY == 0:
        for oldest in names()[MAX_MAILS:]:  # so that a load test does not fill the disk
            (folder / f"{oldest}.eml").unlink(missing_ok=True)
    return name


def names() -> list[str]:
    """Names of the stored mails, newest first."""
    found = (path.stem for path in _folder().glob("*.eml"))
    return sorted(filter(NAME.fullmatch, found), reverse=True)


def content(name: str) -> bytes | None:
    path = _folder() / f"{name}.eml"
    return path.read_bytes() if NAME.fullmatch(name) and path.is_file() else None


def _folder() -> Path:
    return Path(settings.MAIL_FOLDER)
