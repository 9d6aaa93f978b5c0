"""`bin/install` chooses an interpreter."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

INSTALL = Path(__file__).parents[3] / "bin" / "install"
# Says how fast it is and notes who makes the environment; for the rest it is the real one.
INTERPRETER = """#!/bin/sh
case "$*" in
    *process_time*) echo {speed} ;;
    "-m venv"*) echo {name} > chosen ;;
    *) exec {python} "$@" ;;
esac
"""


def chosen(folder: Path, speeds: dict[str, int], **environment: str) -> str:
    """Which of these interpreters `bin/install` uses; microseconds by name."""
    programs = folder / "programs"
    for place in (programs, folder / "bin"):
        place.mkdir()
    shutil.copy(INSTALL, folder / "bin")
    for name, speed in speeds.items():
        text = INTERPRETER.format(speed=speed, name=name, python=sys.executable)
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    path = f"{programs}:/usr/bin:/bin"
    subprocess.run(
        ["bin/install"],
        cwd=folder,
        env=os.environ | {"PATH": path} | environment,
        check=True,
        capture_output=True,
        timeout=60,
    )
    return (folder / "chosen").read_text().strip()


@pytest.mark.parametrize(
    ("speeds", "expected"),
    [
        ({"python3": 1000, "python3.11": 950}, "python3"),
        ({"python3": 1000, "python3.11": 700}, "python3.11"),
        ({"python3": 1000, "python3.12": 800, "python3.11": 500}, "python3.11"),
    ],
)
def test_the_first_is_taken_unless_another_is_faster_by_a_tenth(tmp_path, speeds, expected):
    assert chosen(tmp_path, speeds) == expected


def test_whoever_names_one_gets_it(tmp_path):
    speeds = {"python3": 1000, "python3.12": 2000}

    assert chosen(tmp_path, speeds, PYTHON="python3.12") == "python3.12"
