"""Children that keep dying, and a disk without space, end the run with a reason."""

import subprocess
import sys
from pathlib import Path

import pytest

from ticketing.development.embedded.checks import require_space
from ticketing.development.embedded.errors import CannotRun

ONE_CHILD = """
import subprocess, sys
from pathlib import Path
from ticketing.development.embedded import process
from ticketing.development.embedded.child import Child
from ticketing.development.embedded.console import Console
from ticketing.development.embedded.errors import CannotRun
from ticketing.development.embedded.supervisor import Supervisor

supervisor = Supervisor(console=Console(sys.stdout), data=Path("/tmp"))
start = lambda out: process.start(["sh", "-c", sys.argv[1]], stdout=out, stderr=subprocess.STDOUT)
try:
    supervisor.add(Child("frail", start))
    supervisor.watch()
except CannotRun as reason:
    print(f"REASON {reason}")
"""


def life_of(script: str) -> str:
    command = [sys.executable, "-c", ONE_CHILD, script]
    return subprocess.run(command, capture_output=True, text=True, timeout=60).stdout


def test_a_child_that_keeps_dying_ends_the_run_with_its_last_words() -> None:
    said = life_of("echo it hurts; exit 3")

    assert said.count("frail died (exit code 3)") == 4
    assert "REASON frail died 5 times within 60 seconds (exit code 3)." in said
    assert said.rstrip().endswith("it hurts")


def test_a_child_without_space_is_explained_as_a_full_disk() -> None:
    said = life_of("echo PANIC: could not write: No space left on device; exit 1")

    assert "REASON The disk is full" in said


def test_a_line_is_never_torn() -> None:
    said = life_of("printf 'half '; sleep 0.3; echo whole; printf unfinished; exit 1")

    assert "frail      | half whole\nfrail      | unfinished\n" in said


def test_too_little_space_is_said_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(CannotRun, match="MB of free space, 999999999 MB are needed"):
        require_space(tmp_path / "not" / "yet", needed=999_999_999)
