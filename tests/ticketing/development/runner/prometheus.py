"""A real Prometheus that reads a running site."""

import json
import shutil
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from tests.faults.site import free_port
from tests.ticketing.development.runner.site import ROOT, wait_for

PROGRAM = shutil.which("prometheus")
DEPLOYED = ROOT / "deploy" / "prometheus"


class Prometheus:
    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/api/v1"

    def get(self, path: str) -> Any:
        try:
            with urllib.request.urlopen(f"{self.url}/{path}", timeout=60) as answer:
                return json.load(answer)["data"]
        except OSError:
            return None

    def targets(self) -> dict[str, str]:
        """Health by the name of the process."""
        active = (self.get("targets") or {"activeTargets": []})["activeTargets"]
        return {each["labels"]["process"]: each["health"] for each in active}

    def rules(self) -> list[dict[str, Any]]:
        groups = (self.get("rules") or {"groups": []})["groups"]
        return [rule for group in groups for rule in group["rules"]]

    def query(self, expression: str) -> dict[str, float]:
        """Values by the label of each series."""
        found = self.get(f"query?query={urllib.request.quote(expression)}")["result"]
        return {next(iter(each["metric"].values())): float(each["value"][1]) for each in found}


@contextmanager
def prometheus(var: Path, folder: Path) -> Iterator[Prometheus]:
    """With the configuration that we ship, but every second."""
    configuration = yaml.safe_load((DEPLOYED / "prometheus.yml").read_text())
    configuration["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    configuration["rule_files"] = [str(DEPLOYED / "alerts.yml")]
    (job,) = configuration["scrape_configs"]
    job["file_sd_configs"] = [{"files": [f"{var}/metrics/*.json"]}]
    (folder / "prometheus.yml").write_text(yaml.safe_dump(configuration))
    port = free_port()
    options = [f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data"]
    options += [f"--web.listen-address=127.0.0.1:{port}"]
    with (folder / "log").open("wb") as log:
        running = subprocess.Popen([str(PROGRAM), *options], stdout=log, stderr=log)
    try:
        reader = Prometheus(port)
        wait_for(lambda: reader.get("targets") is not None, 60)
        yield reader
    finally:
        running.terminate()
        running.wait(20)
