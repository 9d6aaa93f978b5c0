"""`manage.py prepare`: what has not changed is not done again."""

import os

import pytest
from django.core.management import call_command

from ticketing.development import demo
from ticketing.development.management.commands import prepare
from ticketing.events.models import Event


@pytest.fixture
def static_file(settings, tmp_path):
    """The only source of static files, besides those of the apps."""
    settings.STATIC_ROOT, settings.STATICFILES_DIRS = tmp_path / "collected", [tmp_path / "source"]
    (tmp_path / "source").mkdir()
    (tmp_path / "collected").mkdir()
    file = tmp_path / "source" / "site.css"
    file.write_text("a {}")
    return file


@pytest.fixture
def collections(monkeypatch):
    """Each entry is a run of collectstatic."""
    runs: list[str] = []
    monkeypatch.setattr(prepare, "call_command", lambda name, **_: runs.append(name))
    return runs


def test_static_files_are_collected_once(static_file, collections):
    for _ in range(2):
        prepare.collect_static_files()

    assert collections == ["collectstatic"]


def test_a_changed_file_is_collected_again(static_file, collections):
    prepare.collect_static_files()
    os.utime(static_file, ns=(0, 0))
    prepare.collect_static_files()

    assert len(collections) == 2


def test_after_a_failure_they_are_collected_again(static_file, collections, monkeypatch):
    def fail(*args, **kwargs):
        raise OSError

    with monkeypatch.context() as patch:
        patch.setattr(prepare, "call_command", fail)
        with pytest.raises(OSError):
            prepare.collect_static_files()
    prepare.collect_static_files()

    assert collections == ["collectstatic"]


def test_the_demo_is_made_in_an_empty_database_only(db, monkeypatch):
    monkeypatch.setattr(prepare, "collect_static_files", lambda: None)
    made = []
    monkeypatch.setattr(demo, "create_demo", lambda **_: made.append(Event.objects.count()))

    call_command("prepare")
    demo.create.create_people()
    call_command("prepare")

    assert made == [0]
