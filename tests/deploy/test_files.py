"""The files of deploy/ start the processes of ticketing/processes.py, and nothing else."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy import chart
from ticketing.operations.versions import VERSION
from ticketing.processes import PRODUCTION, RELEASE, WEB, main
from ticketing.settings.environment import env

DEPLOY = Path("deploy")
NAMES = {process.name for process in PRODUCTION}
PYTHON = "/srv/ticketing/site/.venv/bin/python"
HELM = shutil.which("helm")  # cannot be had everywhere; `chart` renders what this chart needs
UNITS = [
    *("ticketing-web.socket", "ticketing-web@1.service", "ticketing-backup.timer"),
    *(f"ticketing@{name}.service" for name in sorted(NAMES - {"web"})),
]


def read(path: str) -> Any:
    return yaml.safe_load((DEPLOY / path).read_text())


def test_every_setting_of_the_example_exists():
    named = set(re.findall(r"^(\w+)=", (DEPLOY / "ticketing.env").read_text(), re.MULTILINE))

    assert named <= set(env.knobs)
    subprocess.run(["sh", "-euc", ". deploy/ticketing.env"], check=True)  # as commands read it
    assert {"SECRET_KEY", "DATABASE_URL", "REDIS_URL", "ALLOWED_HOSTS"} <= named


# -- the list itself -------------------------------------------------------------------------------


def test_a_name_becomes_that_process(monkeypatch):
    started: list[Any] = []
    monkeypatch.setattr(os, "execv", lambda program, command: started.append(command))

    main(["web", "--fd", "3"])

    assert started == [(*WEB.command, "--fd", "3")]
    with pytest.raises(SystemExit, match="There is no process cook"):
        main(["cook"])


# -- systemd ---------------------------------------------------------------------------------------


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd_accepts_the_units(tmp_path):
    for file in (DEPLOY / "systemd").iterdir():
        text = file.read_text().replace(PYTHON, sys.executable)
        (tmp_path / file.name).write_text(text)

    command = ["systemd-analyze", "verify", *(str(tmp_path / unit) for unit in UNITS)]
    ran = subprocess.run(command, capture_output=True, text=True)

    said = [
        line for line in ran.stderr.splitlines() if str(tmp_path) in line or "ticketing" in line
    ]
    assert (ran.returncode, said) == (0, [])


def test_the_units_start_processes_of_the_list():
    web = (DEPLOY / "systemd/ticketing-web@.service").read_text()
    others = (DEPLOY / "systemd/ticketing@.service").read_text()

    assert f"ExecStart={PYTHON} -m ticketing.processes web --fd 3\n" in web
    assert f"ExecStart={PYTHON} -m ticketing.processes %i\n" in others
    assert set(re.findall(r"ticketing@(\w+)", others)) == NAMES - {"web"}


# -- containers ------------------------------------------------------------------------------------


def test_the_image_has_all_that_runs_and_is_not_root():
    text = (DEPLOY / "Containerfile").read_text()
    ignored = Path(".dockerignore").read_text().split()
    copied = [line.split()[1:-1] for line in text.splitlines() if line.startswith("COPY ")]
    sources = {name for names in copied for name in names if not name.startswith("--from")}

    assert re.search(r"^USER [1-9]\d+$", text, re.MULTILINE)
    assert "HEALTHCHECK" in text
    assert f'version="{VERSION}"' in text
    assert 'ENTRYPOINT ["python", "-m", "ticketing.processes"]' in text
    local = {name for name in sources if not name.startswith("/")}
    assert {name for name in local if not Path(name).exists()} == set()
    assert {f"!{name}" for name in local} <= set(ignored)
    assert {"ticketing", "waiting_queue", "reservations", "payments", "templates"} <= local


def test_static_files_are_collected_with_the_settings_of_the_image(tmp_path):
    """The build has no database, no Redis and no key, and may write nothing else."""
    env = {
        "PATH": os.environ["PATH"],
        "SECRET_KEY": "for-the-build",
        "DATABASE_URL": "postgresql://nobody@127.0.0.1/none",
        "VAR_DIR": str(tmp_path / "var"),
        "STATIC_ROOT": str(tmp_path / "collected"),
    }
    command = [sys.executable, "manage.py", "collectstatic", "--no-input", "--dry-run"]
    ran = subprocess.run(command, env=env, capture_output=True, text=True)

    assert ran.returncode == 0, ran.stderr
    assert str(tmp_path / "collected") in ran.stdout + ran.stderr or "static files" in ran.stdout
    assert not (tmp_path / "var").exists()


def test_compose_starts_every_process_in_both_profiles():
    services = read("compose.yaml")["services"]
    ours = {name: it for name, it in services.items() if "command" in it and name in NAMES}

    assert set(ours) == NAMES
    for name, service in ours.items():
        assert service["command"] == [name]
        assert service["profiles"] == ["small", "large"]
        assert service["read_only"] is True
        assert service["image"] == f"ticketing:{VERSION}"
    assert services["migrate"]["entrypoint"] == ["python", "manage.py", *RELEASE[0]]
    assert {name for name, it in services.items() if it["profiles"] == ["small"]} == {
        "postgres",
        "redis",
    }
    assert set(services) == NAMES | {"migrate", "postgres", "redis"}


# -- Kubernetes ------------------------------------------------------------------------------------


def test_the_chart_has_every_process_and_one_beat():
    processes = read("helm/values.yaml")["processes"]
    chart = read("helm/Chart.yaml")

    assert set(processes) == NAMES
    assert processes["beat"]["replicas"] == 1
    assert (chart["version"], chart["appVersion"]) == (VERSION, VERSION)


@pytest.mark.parametrize("render", [chart.render, *([chart.render_with_helm] if HELM else [])])
def test_the_chart_starts_every_process_safely(render):
    found = {(it["kind"], it["metadata"]["name"]): it for it in render("media.claim=posters")}
    media = {"name": "media", "persistentVolumeClaim": {"claimName": "posters"}}

    for process in PRODUCTION:
        pod = found["Deployment", f"tickets-{process.name}"]["spec"]["template"]["spec"]
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["terminationGracePeriodSeconds"] > process.stop_timeout
        assert media in pod["volumes"]
        [container] = pod["containers"]
        assert container["args"] == [process.name]
        assert container["image"] == f"ticketing:{VERSION}"
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        assert container["resources"]["requests"]["memory"]
    web = found["Deployment", "tickets-web"]["spec"]["template"]["spec"]["containers"][0]
    assert web["readinessProbe"]["httpGet"]["path"] == "/readyz"
    assert found["Deployment", "tickets-beat"]["spec"]["strategy"] == {"type": "Recreate"}
    assert ("PodDisruptionBudget", "tickets-web") in found
    assert ("PodDisruptionBudget", "tickets-beat") not in found
    [migrate] = found["Job", "tickets-migrate"]["spec"]["template"]["spec"]["containers"]
    assert migrate["command"] == ["python", "manage.py", *RELEASE[0]]
    assert found["Ingress", "tickets"]["spec"]["rules"][0]["host"] == "tickets.example.com"


def test_control_a_chart_with_a_mistake_is_not_rendered():
    with pytest.raises(ValueError, match="no such value"):
        chart.expand("{{ .Values.secrte }}", chart.values())
    with pytest.raises(ValueError, match="not understood"):
        chart.expand("{{ fail }}", chart.values())
    with pytest.raises(yaml.YAMLError):
        chart.parse("a: 1\n b: 2")


# -- versions --------------------------------------------------------------------------------------


def test_the_changelog_begins_with_this_version():
    versions = re.findall(r"^## (\S+)", Path("CHANGELOG.md").read_text(), re.MULTILINE)

    assert VERSION in versions[:2]


def test_manage_py_tells_the_version():
    command = [sys.executable, "manage.py", "version"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert said.startswith(f"ticketing {VERSION}\n")
    assert "Supported: Python 3.11" in said
