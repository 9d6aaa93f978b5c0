"""Each benchmark of the whole site starts small and prints its fields; they share one site."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PAGES = {
    "/healthz",
    "a bare Django view",
    *(f"{page}, anonymous" for page in ("home", "event", "waiting page", "seat page")),
    *(f"{page}, logged in" for page in ("home", "event", "waiting page", "seat page")),
    *(f"{page}, logged in" for page in ("basket", "checkout", "order", "my orders")),
    *(f"{page}, logged in" for page in ("my tickets", "tickets of an order")),
}


@pytest.fixture(scope="module")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What `python -m bench pages checkout sale settlement` prints and writes, for five people."""
    folder = tmp_path_factory.mktemp("bench")
    file, env = folder / "figures.json", dict(os.environ)
    for name in ("DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE", "HOLD_TRIES"):
        env.pop(name, None)
    names = ["pages", "checkout", "sale", "settlement", "--volatile", "--json", str(file)]
    small = ["--people", "5", "--rounds", "1", "--seconds", "0.1", "--latency", "0.05"]
    small += ["--processes", "1"]
    ran = subprocess.run(
        [sys.executable, "-m", "bench", *names, *small],
        env=env,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return {"printed": ran.stdout} | json.loads(file.read_text())


def table(result: dict[str, Any], begins: str) -> dict[str, Any]:
    """The rows of the table whose title begins like this."""
    (found,) = (rows for title, rows in result["tables"].items() if title.startswith(begins))
    return found


@pytest.mark.parametrize("name", ["pages", "checkout", "sale", "settlement"])
def test_a_report_says_how_durable_and_how_busy_its_run_was(small_run, name):
    header = small_run[name]["header"]

    assert header["PostgreSQL"].endswith("fsync off, synchronous_commit off, full_page_writes off")
    assert header["Valkey"] == "appendonly no, appendfsync everysec"
    assert {"web processes", "cores", "load before", "load during", "commit", "data on"} <= {
        *header
    }
    assert f"{name}\n{'-' * len(name)}\n" in small_run["printed"]


def test_pages_are_measured_beside_the_health_check_and_a_bare_view(small_run):
    rows = table(small_run["pages"], "5 connections")

    assert set(rows) == PAGES
    assert {row["status"] for row in rows.values()} == {"200"}
    assert rows["/healthz"]["of healthz"] == rows["a bare Django view"]["of bare view"] == 1
    assert rows["/healthz"]["statements"] == 0
    assert rows["order, logged in"]["statements"] >= 1
    assert all(row["requests/s"] > 0 and row["CPU ms"] > 0 for row in rows.values())
    assert all(row["bytes"] > 0 for row in rows.values())


def test_checkout_measures_orders_pages_and_what_is_in_use(small_run):
    result = small_run["checkout"]
    rows = table(result, "5 buyers, 25 a second, gateway 0.05 s")
    at_once = table(result, "5 buyers, all at once, gateway 0.05 s")

    assert rows["orders"]["finished"] == at_once["orders"]["finished"] == 5
    assert rows["orders"]["orders/s"] > 0
    assert rows["pay"]["p95 ms"] >= 50  # one call of the gateway
    assert rows["confirm"]["p95 ms"] >= 100  # two calls
    assert rows["web threads, most"]["count"] > 0
    assert 1 <= rows["gateway calls in flight, most"]["count"] <= 5
    for how in ("5 buyers, 25 a second", "5 buyers, all at once"):
        assert table(result, f"pages, {how}")["event page"]["with : without"] > 0
        spent = table(result, f"processor time per order, pages included, {how}")
        assert spent["web"]["CPU ms"] > 0


def test_a_sale_measures_whole_orders_by_kind_of_process(small_run):
    result = small_run["sale"]
    spent = table(result, "processor time")

    assert table(result, "5 complete orders")["until the last mail came"]["orders/s"] > 0
    assert {"web", "PostgreSQL", "Valkey", "worker", "ticker", "beat", "in all"} <= spent.keys()
    assert spent["in all"]["CPU ms"] >= spent["web"]["CPU ms"] > 0
    assert spent["the crowd itself"]["not ours"] > 0
    assert table(result, "statements from")["in all"]["statements"] >= 3


def test_payments_are_settled_beside_mails_that_wait(small_run):
    alone, behind = table(small_run["settlement"], "5 payments, gateway away for 1 s").values()

    assert alone["settled"] == behind["settled"] == 5
    assert 0 < alone["p50 s"] <= alone["p95 s"] <= alone["last s"]
    assert behind["mails that still wait"] > 0


def test_nothing_is_left_behind(small_run):
    """No process of the run, and no folder in memory."""
    running = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]

    ours = [command for command in running if sys.executable.encode() in command]
    assert not [command for command in ours if b"bench.outside" in command]
