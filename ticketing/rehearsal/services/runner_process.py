"""Runs a rehearsal that was started in the admin: the same command as from a shell."""

import logging
import os
import subprocess
import sys
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from django.conf import settings

from ticketing.rehearsal import selectors
from ticketing.rehearsal.models import Rehearsal
from ticketing.rehearsal.services.cleanup import stop_rehearsal
from ticketing.rehearsal.services.tokens import mint_token

log = logging.getLogger(__name__)
# A command that cannot start fails within this time.
STARTUP_SECONDS = 5.0
GENTLE_NICENESS = 10  # beside a site that people use


def start_runner(*, code: str, now: datetime) -> None:
    """Start `manage.py rehearse` as a process of its own; stop the rehearsal if that fails."""
    rehearsal = selectors.rehearsal_by_code(code)
    if rehearsal.started_by is None or not rehearsal.is_under_way:
        return
    runner = _start_process(rehearsal, mint_token(user=rehearsal.started_by, now=now))
    try:
        status = runner.wait(STARTUP_SECONDS)
    except subprocess.TimeoutExpired:
        return
    if status:
        log.error("rehearsal %s: the runner exited at once with status %s", code, status)
        stop_rehearsal(code=code, by=None, now=now)


def run_gently(pid: int = 0) -> None:
    """Let everything else go first on the processor; 0 is this process.

    With Linux' autogroups niceness counts only inside a session, and each session has its own.
    """
    niceness = max(GENTLE_NICENESS, os.getpriority(os.PRIO_PROCESS, pid))
    os.setpriority(os.PRIO_PROCESS, pid, niceness)
    pid = pid or os.getpid()
    if os.getsid(pid) == pid:  # else it is the session of somebody's terminal
        with suppress(OSError):  # a kernel without autogroups
            Path(f"/proc/{pid}/autogroup").write_text(str(niceness))


def _start_process(rehearsal: Rehearsal, token: str) -> "subprocess.Popen[bytes]":
    """Pass the token in the environment, which `ps` does not show to other users."""
    manage = Path(settings.BASE_DIR) / "manage.py"
    options = ["--rehearsal", rehearsal.code, "--quiet"]
    if language := rehearsal.options.get("language"):
        options += ["--language", language]
    folder = settings.VAR_DIR / "rehearsals" / rehearsal.code
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "runner.log").open("ab") as output:
        runner = subprocess.Popen(
            [sys.executable, manage, "rehearse", *options, "--folder", folder],
            env=os.environ | {"REHEARSAL_TOKEN": token},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,  # it must survive a restart of the worker
        )
    run_gently(runner.pid)  # from the start: loading takes seconds
    return runner
