"""A rehearsal that was begun in the admin is directed by the same command as one from a shell."""

import logging
import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path

from django.conf import settings

from ticketing.rehearsal import selectors
from ticketing.rehearsal.models import Rehearsal
from ticketing.rehearsal.services.clearing import stop
from ticketing.rehearsal.services.starting import mint_token

log = logging.getLogger(__name__)
# Who fails to begin fails soon.
PATIENCE_SECONDS = 5.0


def run_in_background(*, code: str, now: datetime) -> None:
    """Start its director, as a process of its own; if that can't even begin, it is stopped."""
    rehearsal = selectors.rehearsal_called(code)
    if rehearsal.started_by is None or not rehearsal.is_under_way:
        return
    director = _started(rehearsal, mint_token(user=rehearsal.started_by, now=now))
    try:
        status = director.wait(PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        return
    if status:
        log.error("rehearsal %s: its director ended at once, with %s", code, status)
        stop(code=code, by=None, now=now)


def _started(rehearsal: Rehearsal, token: str) -> "subprocess.Popen[bytes]":
    """The secret goes by the environment, which other people's `ps` does not show."""
    manage = Path(settings.BASE_DIR) / "manage.py"
    options = ["--rehearsal", rehearsal.code, "--url", settings.SITE_URL, "--quiet"]
    folder = settings.VAR_DIR / "rehearsals" / rehearsal.code
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "director.log").open("ab") as words:
        return subprocess.Popen(
            [sys.executable, manage, "rehearse", *options, "--folder", folder],
            env=os.environ | {"REHEARSAL_TOKEN": token},
            stdin=subprocess.DEVNULL,
            stdout=words,
            stderr=words,
            start_new_session=True,  # it goes on while workers are restarted
        )
