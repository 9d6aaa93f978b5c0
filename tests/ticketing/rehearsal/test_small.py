"""A rehearsal of a few hundred users with every fault, by the command."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.soak import SOAK
from ticketing.rehearsal.simulator.faults import ALL
from ticketing.rehearsal.simulator.history import RUNNER, Folder

FANS = 250
REHEARSE = ["manage.py", "rehearse", "1", "--embedded", "--json", "--faults", "all"]
CROWD = ["--fans", str(FANS), "--profile", "bots"]
SALE = ["--minutes", "0.5", "--set", "admit_per_second=15"]


@pytest.mark.soak(scales=True)
# Each repetition has its own seed: other users, another order of faults.
@pytest.mark.parametrize("seed", range(1, 1 + SOAK))
def test_a_small_rehearsal_with_every_fault_holds(tmp_path: Path, seed: int) -> None:
    folder = tmp_path / "run"

    ran = subprocess.run(
        [sys.executable, *REHEARSE, *CROWD, *SALE, "--seed", str(seed), "--folder", str(folder)],
        env=os.environ | {"VAR_DIR": str(tmp_path / "var"), "DEVELOPMENT": "1"},
        capture_output=True,
        text=True,
        timeout=600,
    )

    assert ran.returncode in (0, 1), ran.stdout[-3000:] + ran.stderr[-3000:]
    report = json.loads(ran.stdout)
    broken = [verdict for verdict in report["verdicts"] if verdict["holds"] is False]
    assert broken == []
    assert ran.returncode == 0, (folder / "site.log").read_text()[-3000:]
    evidence = Folder(folder).evidence()
    caused = {
        it.data["fault"] for it in evidence.records if (it.user, it.action) == (RUNNER, "fault")
    }
    assert caused == {fault.name for fault in ALL}
    ends = [it.data["state"] for it in evidence.records if it.action == "end"]
    assert len(ends) == FANS
    assert ends.count("bought") > FANS / 10
    judged = {verdict["name"]: verdict["checked"] for verdict in report["verdicts"]}
    assert min(judged["linearizable"], judged["money"]) > 5
    assert (folder / "jepsen-seats.jsonl").read_text().count('"cas"') > FANS / 10
    assert (folder / "report.html").read_text().count("<svg") >= 7
