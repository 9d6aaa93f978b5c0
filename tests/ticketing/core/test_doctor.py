"""`manage.py doctor` says which limits are too low."""

import resource
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from ticketing.core import listen_queue


def said(monkeypatch: pytest.MonkeyPatch, folder: Path, somaxconn: str, files: int) -> str:
    (folder / "somaxconn").write_text(somaxconn)
    monkeypatch.setattr(listen_queue, "SOMAXCONN", folder / "somaxconn")
    monkeypatch.setattr(resource, "getrlimit", lambda _: (files, files))
    out = StringIO()
    call_command("doctor", stdout=out, no_color=True)
    return out.getvalue()


def test_a_short_listen_queue_and_few_files_are_named(monkeypatch, tmp_path):
    text = said(monkeypatch, tmp_path, "4096\n", 1024)

    assert "net.core.somaxconn is 4096" in text
    assert "may open 1024 files" in text


def test_control_high_limits_are_fine(monkeypatch, tmp_path):
    assert "high enough" in said(monkeypatch, tmp_path, "65535\n", 1_048_576)


def test_a_system_that_does_not_say_is_not_judged(monkeypatch, tmp_path):
    assert "somaxconn" not in said(monkeypatch, tmp_path, "?", 1024)
