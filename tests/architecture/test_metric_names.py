"""Alerts, dashboards and docs name only metrics that exist, and every alert has its runbook."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
import yaml
from django.conf import settings
from prometheus_client import REGISTRY
from prometheus_client.core import Metric

from payments.gateways import portone  # noqa: F401 - has metrics of its own
from ticketing import asgi  # noqa: F401 - loads all that a server process has
from ticketing.console.services import SiteMetrics

ROOT = Path(settings.BASE_DIR)
ALERTS = ROOT / "deploy" / "prometheus" / "alerts.yml"
RULES = [rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]]
DASHBOARDS = sorted((ROOT / "deploy" / "grafana").glob("*.json"))
OPERATIONS = (ROOT / "docs" / "operations.md").read_text()
RUNBOOK = OPERATIONS.partition("\n## Runbook\n")[2].partition("\n## ")[0]
METRICS = (ROOT / "docs" / "metrics.md").read_text()
SUFFIXES = {"counter": ("_total",), "histogram": ("_bucket", "_count", "_sum"), "gauge": ("",)}
# Of Prometheus itself, and of prometheus_client.
OTHERS = ("up", "process_", "python_")
# What of an expression names no metric: texts, labels, functions, times, words of the language.
NO_NAMES = re.compile(
    r'"[^"]*"|\{[^}]*\}|\[[^\]]*\]|\b(?:by|on|without|ignoring)\s*\([^)]*\)|\b\w+(?=\s*\()'
    r"|\b(?:sum|max|min|and|or|unless|bool|offset)\b"
)
NAME = re.compile(r"[a-zA-Z_:][\w:]*")


def families() -> Iterator[Metric]:
    yield from REGISTRY.collect()
    yield from SiteMetrics().describe()


def known_names() -> set[str]:
    return {
        f"{family.name}{suffix}"
        for family in families()
        for suffix in SUFFIXES.get(family.type, ("",))
    }


def unknown_names(expressions: Iterable[str]) -> set[str]:
    named = {name for text in expressions for name in NAME.findall(NO_NAMES.sub(" ", text))}
    return named - known_names() - {"up"}


def expressions_of(dashboard: Path) -> list[str]:
    panels = json.loads(dashboard.read_text())["panels"]
    return [target["expr"] for panel in panels for target in panel["targets"]]


def test_alerts_name_only_metrics_that_exist():
    assert unknown_names(rule["expr"] for rule in RULES) == set()


@pytest.mark.parametrize("dashboard", DASHBOARDS, ids=lambda path: path.stem)
def test_dashboards_name_only_metrics_that_exist(dashboard):
    assert unknown_names(expressions_of(dashboard)) == set()


def test_there_is_a_dashboard_of_the_sale_of_money_and_of_machines():
    boards = [json.loads(path.read_text()) for path in DASHBOARDS]

    assert [path.stem for path in DASHBOARDS] == ["machine-room", "money", "sale-night"]
    assert len({board["uid"] for board in boards}) == 3
    assert all(board["panels"] for board in boards)


@pytest.mark.parametrize(
    ("expression", "unknown"),
    [
        ('max by (kind) (site_procesess{kind="web"}) == 0', {"site_procesess"}),
        ("histogram_quantile(0.9, rate(http_request_seconds[5m]))", {"http_request_seconds"}),
        ("sum(rate(http_requests_total[5m])) or on (x) up > bool 1", set()),
    ],
)
def test_control_a_name_that_does_not_exist_is_found(expression, unknown):
    assert unknown_names([expression]) == unknown


def test_every_alert_has_a_runbook_and_every_runbook_an_alert():
    alerts = [rule["alert"] for rule in RULES]

    assert re.findall(r"^### (\w+)$", RUNBOOK, re.MULTILINE) == alerts
    assert len(alerts) == len(set(alerts))
    assert all({"severity"} == set(rule["labels"]) for rule in RULES)


def test_the_docs_list_every_metric_with_its_labels():
    own = {
        name: set(labels)
        for family in families()
        if not family.name.startswith(OTHERS)
        for name, labels in [_documented(family)]
    }
    rows = re.findall(r"^\| `(\w+)(?:\{([\w, ]+)\})?` \|", METRICS, re.MULTILINE)

    assert {name for name, _ in rows} == set(own)
    for name, labels in rows:
        seen = own[name] - {"le"}
        assert seen <= set(filter(None, labels.split(", "))), name


def _documented(family: Metric) -> tuple[str, set[str]]:
    """Its name as it is written in queries, and the labels that it has here."""
    name = f"{family.name}_total" if family.type == "counter" else family.name
    return name, {label for sample in family.samples for label in sample.labels}


@pytest.mark.skipif(not shutil.which("promtool"), reason="promtool is not installed")
@pytest.mark.parametrize(
    "command",
    [["rules", "alerts.yml"], ["config", "prometheus.yml"]],
    ids=lambda command: command[0],
)
def test_promtool_accepts_alerts_and_configuration(command):
    ran = subprocess.run(
        ["promtool", "check", *command], cwd=ALERTS.parent, capture_output=True, text=True
    )

    assert ran.returncode == 0, ran.stdout + ran.stderr
