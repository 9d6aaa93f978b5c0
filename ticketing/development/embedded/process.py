"""Starts and stops child processes that cannot outlive this one."""

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
    parent_death_signal: signal.Signals = signal.SIGTERM,
    user: int | None = None,
    group: int | None = None,
    env: Mapping[str, str] | None = None,
    **options: Any,
) -> subprocess.Popen[bytes]:
    """Start a child in its own session; it gets `parent_death_signal` if this process dies."""
    return subprocess.Popen(
        [str(part) for part in command],
        stdin=subprocess.DEVNULL,
        env=dict(os.environ if env is None else env),
        user=user,
        group=group,
        extra_groups=None if group is None else [group],
        start_new_session=True,
        preexec_fn=die_with_parent(parent_death_signal),
        **options,
    )


def run(command: Sequence[str | Path], **options: Any) -> tuple[int, str]:
    """Run a child to its end; returns its exit code and output."""
    child = start(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    output, _ = child.communicate()
    return child.returncode, output.decode(errors="replace").strip()


def stop(
    child: subprocess.Popen[bytes],
    *,
    stop_signal: signal.Signals = signal.SIGTERM,
    timeout: float = 10,
) -> bool:
    """Ask it to stop and kill it after the timeout. True if it stopped by itself."""
    if child.poll() is not None:
        return True
    child.send_signal(stop_signal)
    try:
        child.wait(timeout)
        return True
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
        return False


def die_with_parent(parent_death_signal: signal.Signals) -> Callable[[], None] | None:
    """For a child to call: from then on it gets the signal when this process dies."""
    if sys.platform != "linux":
        return None
    prctl, parent = ctypes.CDLL(None, use_errno=True).prctl, os.getpid()

    def in_child() -> None:
        prctl(PR_SET_PDEATHSIG, parent_death_signal)
        if os.getppid() != parent:  # the parent died before prctl()
            os._exit(1)

    return in_child
