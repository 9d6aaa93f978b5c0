"""`manage.py race`, as the shell runs it."""

import os
import re
import signal
import subprocess
import sys
import time
from xml.etree import ElementTree

import pytest
from django.core.management import CommandError, call_command
from django.utils import translation

from reservations.management.commands import race as command
from tests.reservations.lab.test_scratch_schema import schemas

PATIENCE = 60


@pytest.fixture(autouse=True)
def english():
    with translation.override("en"):
        yield


def test_it_prints_a_table_draws_a_picture_and_leaves_nothing(database, redis, tmp_path, capsys):
    file = tmp_path / "race.svg"
    call_command("race", strategy="gate", buyers=2, picture=file)
    said = capsys.readouterr().out

    assert database.info.dbname in said
    assert "one owner per seat" in said
    assert ElementTree.parse(file).getroot().tag.endswith("svg")
    assert schema_of(said) not in schemas(database)
    assert all(redis.ttl(key) > 0 for key in redis.keys("lab:*"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--buyers=0", "“0” is not a whole number of at least 1"),
        ("--seats=many", "“many” is not a whole number of at least 1"),
        ("--think-ms=-1", "“-1” is not a whole number of at least 0"),
        ("--picture=race.gif", "ends in .svg or .png"),
        ("--picture=/nowhere/race.svg", "can't be written there"),
        ("--strategy=luck", "invalid choice"),
        ("--strategy=gate --early-release", "belongs to the strategies redis and all"),
        ("--buyers=2 --seats=3", "more seats than there are buyers"),
    ],
)
def test_what_can_not_be_is_said_in_words(capsys, words, said):
    with pytest.raises(CommandError, match=said):
        call_command("race", *words.split())

    assert capsys.readouterr().out == ""


def test_more_buyers_than_the_server_has_connections_are_too_many(database, capsys):
    with pytest.raises(CommandError, match=r"only \d+ are free \(max_connections is 500\)"):
        call_command("race", buyers=100_000)

    assert schema_of(capsys.readouterr().out) not in schemas(database)


def test_a_server_that_can_not_be_reached_is_said_in_words(settings, database, capsys):
    settings.REDIS_URL = "redis://127.0.0.1:1"

    with pytest.raises(CommandError, match="refused"):
        call_command("race", strategy="gate", buyers=1)
    assert schema_of(capsys.readouterr().out) not in schemas(database)


def test_two_owners_where_there_must_be_one_are_an_error(monkeypatch, tmp_path):
    monkeypatch.setattr(command, "kept_promise", lambda _: False)

    with pytest.raises(CommandError, match="two owners"):
        call_command("race", strategy="none", buyers=1, picture=tmp_path / "race.png")
    assert (tmp_path / "race.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("how", ["ctrl-c", "sigterm"])
def test_stopped_in_the_middle_it_leaves_nothing(database, redis, config, how):
    process = start("--strategy=redis", "--buyers=1", "--think-ms=60000")
    until(lambda: redis.keys("lab:*:lock:1"))
    during = schemas(database)
    if how == "ctrl-c":
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    else:
        process.terminate()
    said, errors = process.communicate(timeout=PATIENCE)

    assert process.returncode == 130
    assert "Traceback" not in errors
    assert schema_of(said) in during - schemas(database)
    with pytest.raises(ProcessLookupError):
        until(lambda: os.killpg(process.pid, 0))


def schema_of(said: str) -> str:
    (name,) = re.findall(r"lab_[0-9a-f]{8}", said)
    return name


def start(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "manage.py", "race", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def until(so) -> None:
    for _ in range(PATIENCE * 20):
        if so():
            return
        time.sleep(0.05)
    raise AssertionError("it never was so")
