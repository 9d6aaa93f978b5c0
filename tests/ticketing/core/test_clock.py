"""The clock and its skew for fault tests."""

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

from ticketing.core import clock

ASK = "from ticketing import settings; print(settings.CLOCK_SKEW.total_seconds())"


def test_the_skew_is_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "clock"

    assert clock.clock_skew("") == clock.clock_skew(str(file)) == timedelta()
    file.write_text("-2.5")
    assert clock.clock_skew(str(file)) == timedelta(seconds=-2.5)


def test_the_skew_is_added(settings) -> None:
    before = clock.now()

    settings.CLOCK_SKEW = timedelta(hours=1)

    assert timedelta(hours=1) <= clock.now() - before < timedelta(hours=1, minutes=1)


def test_the_skew_is_ignored_in_production(tmp_path: Path) -> None:
    (tmp_path / "clock").write_text("2")

    assert skew_of_a_process(tmp_path, development="1") == "2.0"
    assert skew_of_a_process(tmp_path, development="0") == "0.0"


def skew_of_a_process(folder: Path, *, development: str) -> str:
    environment = {
        "CLOCK_SKEW_FILE": str(folder / "clock"),
        "DEVELOPMENT": development,
        "SECRET_KEY": "only-for-tests",
        "ALLOWED_HOSTS": "tickets.example.com",
        "PAYMENTS_SANDBOX": "",
    }
    asked = [sys.executable, "-c", ASK]
    ran = subprocess.run(asked, env=os.environ | environment, capture_output=True, text=True)
    return ran.stdout.strip() or ran.stderr
