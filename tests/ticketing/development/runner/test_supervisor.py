"""A child that keeps exiting and a full disk end the run with a reason."""

import subprocess
import sys
from pathlib import Path

import pytest

from ticketing.development.embedded.errors import CannotRun
from ticketing.development.runner.preflight import require_space

ONE_CHILD = """
import subprocess, sys
from pathlib import Path
from ticketing.development.embedded import process
from ticketing.development.runner.child_process import ChildProcess
from ticketing.development.runner.terminal import Terminal
from ticketing.development.embedded.errors import CannotRun
from ticketing.development.runner.supervisor import Supervisor

supervisor = Supervisor(terminal=Terminal(sys.stdout), data=Path("/tmp"))
start = lambda out: process.start(["sh", "-c", sys.argv[1]], stdout=out, stderr=subprocess.STDOUT)
try:
    supervisor.add(ChildProcess("frail", start))
    supervisor.watch()
except CannotRun as reason:
    print(f"REASON {reason}")
"""


def run_child(script: str) -> str:
    command = [sys.executable, "-c", ONE_CHILD, script]
    return subprocess.run(command, capture_output=True, text=True, timeout=60).stdout


def test_a_child_that_keeps_exiting_ends_the_run_with_its_last_log_lines() -> None:
    output = run_child("echo it hurts; exit 3")

    assert output.count("frail exited (exit code 3)") == 4
    assert "REASON frail exited 5 times within 60 seconds (exit code 3)." in output
    assert output.rstrip().endswith("it hurts")


def test_a_child_without_space_is_explained_as_a_full_disk() -> None:
    output = run_child("echo PANIC: could not write: No space left on device; exit 1")

    assert "REASON The disk is full" in output


def test_log_lines_stay_whole() -> None:
    output = run_child("printf 'half '; sleep 0.3; echo whole; printf unfinished; exit 1")

    assert "frail      | half whole\nfrail      | unfinished\n" in output


def test_too_little_space_is_reported_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(CannotRun, match="MB of free space, 999999999 MB are needed"):
        require_space(tmp_path / "not" / "yet", needed=999_999_999)
