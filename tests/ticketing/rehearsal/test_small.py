"""A rehearsal of a few hundred people with everything going wrong, as an operator types it."""

import json
import os
import subprocess
import sys
from pathlib import Path

from ticketing.rehearsal.simulator.faults import ALL
from ticketing.rehearsal.simulator.history import STAGE, Folder

FANS = 250
REHEARSE = ["manage.py", "rehearse", "--embedded", "--profile", "bots", "--faults", "all", "--json"]
ENOUGH = ["--fans", str(FANS), "--minutes", "0.5", "--set", "admit_per_second=15"]


def test_a_small_rehearsal_with_every_fault_holds(tmp_path: Path) -> None:
    folder = tmp_path / "evening"

    ran = subprocess.run(
        [sys.executable, *REHEARSE, *ENOUGH, "--folder", str(folder)],
        env=os.environ | {"VAR_DIR": str(tmp_path / "var"), "DEVELOPMENT": "1"},
        capture_output=True,
        text=True,
        timeout=600,
    )

    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-3000:]
    told = json.loads(ran.stdout)
    assert told["ok"], told["verdicts"]
    evidence = Folder(folder).evidence()
    caused = {it.saw["fault"] for it in evidence.deeds if (it.who, it.did) == (STAGE, "fault")}
    assert caused == {fault.name for fault in ALL}
    ends = [it.saw["state"] for it in evidence.deeds if it.did == "end"]
    assert len(ends) == FANS
    assert ends.count("bought") > FANS / 10
    assert (folder / "report.html").read_text().count("<svg") >= 7
