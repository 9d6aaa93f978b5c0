"""The address at which Prometheus reads a process, and the file that tells of it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from ticketing.core.metrics.listener import Listener, is_local


@pytest.fixture
def started(tmp_path: Path) -> Iterator[list[Listener]]:
    made: list[Listener] = []
    yield made
    for listener in made:
        listener.stop()


def start(started: list[Listener], kind: str, folder: Path) -> Listener:
    started.append(Listener(kind, folder))
    return started[-1]


def read(listener: Listener, path: str = "/metrics", **headers: str) -> httpx.Response:
    return httpx.get(f"http://127.0.0.1:{listener.port}{path}", headers=headers, timeout=60)


def told(folder: Path) -> dict[str, list]:
    """What Prometheus would read, by the end of the file's name."""
    host = os.uname().nodename
    return {
        path.stem.removeprefix(f"{host}-"): json.loads(path.read_text())
        for path in folder.glob("*.json")
    }


def test_it_tells_all_metrics_and_nothing_else(started, tmp_path):
    listener = start(started, "web", tmp_path)

    answer = read(listener)

    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=")
    assert "# TYPE http_requests_total counter" in answer.text
    assert "process_cpu_seconds_total" in answer.text
    assert read(listener, "/").status_code == 404
    assert listener.server.server_address[0] == "127.0.0.1"


def test_with_a_token_only_who_sends_it_reads(started, tmp_path, settings):
    settings.METRICS_TOKEN = "correct horse"
    listener = start(started, "web", tmp_path)

    assert read(listener).status_code == 401
    assert read(listener, Authorization="Bearer wrong horse").status_code == 401
    assert read(listener, Authorization="Bearer correct horse").status_code == 200


def test_each_process_has_a_number_and_keeps_its_name_after_a_restart(started, tmp_path):
    first, second = (start(started, "web", tmp_path) for _ in range(2))
    worker = start(started, "worker", tmp_path)

    targets = {name: found[0]["targets"] for name, found in told(tmp_path).items()}
    assert targets == {
        "web-1": [f"127.0.0.1:{first.port}"],
        "web-2": [f"127.0.0.1:{second.port}"],
        "worker-1": [f"127.0.0.1:{worker.port}"],
    }
    first.stop()
    started.remove(first)
    assert told(tmp_path)["web-1"] == []  # stopped on purpose: nobody misses it
    third = start(started, "web", tmp_path)

    assert told(tmp_path)["web-1"][0]["targets"] == [f"127.0.0.1:{third.port}"]
    assert told(tmp_path)["web-1"][0]["labels"]["process"] == "web"


def test_a_killed_process_is_missed_until_another_takes_its_number(started, tmp_path):
    code = (
        "import django, os; django.setup();"
        "from pathlib import Path; from ticketing.core.metrics.listener import Listener;"
        f"Listener('beat', Path({str(tmp_path)!r})); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code])
    (killed,) = told(tmp_path)["beat-1"][0]["targets"]

    listener = start(started, "beat", tmp_path)

    assert killed.startswith("127.0.0.1:")
    assert told(tmp_path)["beat-1"][0]["targets"] == [f"127.0.0.1:{listener.port}"]
    assert list(told(tmp_path)) == ["beat-1"]


def test_a_port_that_is_taken_is_replaced(started, tmp_path, settings):
    settings.METRICS_PORT = start(started, "web", tmp_path).port

    assert read(start(started, "web", tmp_path)).status_code == 200


def test_without_a_folder_it_can_still_be_read(started, tmp_path):
    (tmp_path / "file").write_text("")

    assert read(start(started, "web", tmp_path / "file" / "metrics")).status_code == 200


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("db", False)],
)
def test_which_addresses_others_can_reach(host, local):
    assert is_local(host) is local


def test_an_address_for_others_needs_a_token():
    env = os.environ | {"METRICS_HOST": "0.0.0.0", "METRICS_TOKEN": ""}
    run = [sys.executable, "-c", "import ticketing.settings"]

    refused = subprocess.run(run, env=env, capture_output=True, text=True)
    allowed = subprocess.run(run, env=env | {"METRICS_TOKEN": "t"}, capture_output=True)

    assert "set METRICS_TOKEN" in refused.stderr
    assert allowed.returncode == 0
