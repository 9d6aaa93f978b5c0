"""Starting and stopping one child process that can't outlive us."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

PR_SET_PDEATHSIG = 1


def start(
    command: Sequence[str | Path],
    *,
    last_words: signal.Signals = signal.SIGTERM,
    user: int | None = None,
    group: int | None = None,
    env: Mapping[str, str] | None = None,
    **options: Any,
) -> subprocess.Popen[bytes]:
    """Start a child in its own session that gets `last_words` when this process dies, however."""
    return subprocess.Popen(
        [str(word) for word in command],
        stdin=subprocess.DEVNULL,
        env=dict(os.environ if env is None else env),
        user=user,
        group=group,
        extra_groups=None if group is None else [group],
        start_new_session=True,
        preexec_fn=_dies_with_us(last_words),
        **options,
    )


def run(command: Sequence[str | Path], **options: Any) -> tuple[int, str]:
    """Run a child to its end; its exit code and everything that it said."""
    child = start(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    said, _ = child.communicate()
    return child.returncode, said.decode(errors="replace").strip()


def stop(
    child: subprocess.Popen[bytes], *, how: signal.Signals = signal.SIGTERM, patience: float = 10
) -> bool:
    """Ask it to stop, and kill it if it won't. True if it went by itself."""
    if child.poll() is not None:
        return True
    child.send_signal(how)
    try:
        child.wait(patience)
        return True
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
        return False


def _dies_with_us(last_words: signal.Signals) -> Callable[[], None] | None:
    if sys.platform != "linux":
        return None
    prctl, us = ctypes.CDLL(None, use_errno=True).prctl, os.getpid()

    def in_child() -> None:
        prctl(PR_SET_PDEATHSIG, last_words)
        if os.getppid() != us:  # we died before the line above
            os._exit(1)

    return in_child
