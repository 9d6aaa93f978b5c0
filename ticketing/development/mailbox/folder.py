"""The folder: a file for each mail, whose name says when it was sent."""

import os
import re
from datetime import datetime
from pathlib import Path
from secrets import token_hex

from django.conf import settings

KEPT = 1000
NAME = re.compile(r"\d{8}-\d{12}-[0-9a-f]{8}")


def put(content: bytes, *, now: datetime) -> str:
    """Whole or not at all: nobody reads half a mail."""
    folder, name = _folder(), f"{now:%Y%m%d-%H%M%S%f}-{token_hex(4)}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = folder / f"{name}.part"
    unfinished.write_bytes(content)
    os.replace(unfinished, folder / f"{name}.eml")
    _forget_the_oldest()
    return name


def names() -> list[str]:
    """The newest first."""
    found = (path.stem for path in _folder().glob("*.eml"))
    return sorted(filter(NAME.fullmatch, found), reverse=True)


def content(name: str) -> bytes | None:
    path = _folder() / f"{name}.eml"
    return path.read_bytes() if NAME.fullmatch(name) and path.is_file() else None


def _forget_the_oldest() -> None:
    """A rehearsal of a big sale must not fill the disk."""
    for name in names()[KEPT:]:
        (_folder() / f"{name}.eml").unlink(missing_ok=True)


def _folder() -> Path:
    return Path(settings.MAIL_FOLDER)
