"""The servers of a benchmark."""

import json
import os
import subprocess
import sys
from pathlib import Path

START = """
import json, sys
from bench.options import Options
from bench.site import BenchSite

site = BenchSite(Options([]))
try:
    print(json.dumps([site.header(), str(site.paths.data)]))
finally:
    site.stop()
"""


def test_they_are_durable_on_the_disk_of_var_dir_by_default(tmp_path):
    env = {**os.environ, "VAR_DIR": str(tmp_path)}

    ran = subprocess.run(
        [sys.executable, "-c", START], env=env, capture_output=True, text=True, timeout=120
    )

    assert ran.returncode == 0, ran.stderr
    header, data = json.loads(ran.stdout)
    assert header["PostgreSQL"].endswith("fsync on, synchronous_commit on, full_page_writes on")
    assert header["Valkey"] == "appendonly yes, appendfsync everysec"
    assert not Path(data).exists()  # nothing is left behind
