"""How the scripts are put together from their files."""

import re

import pytest

from tests.waiting_queue.line import Line
from ticketing.core import redis
from waiting_queue import keys
from waiting_queue.store import scripts

NAMES = sorted(
    file.stem
    for file in scripts.FOLDER.glob("*.lua")
    if not file.stem.startswith("_") and file.stem not in scripts.WITHOUT_LINE
)
DECLARED = re.compile(r"\b(?:local|for) (?!function)([\w,\s]+?)(?: *=| in |(?<!,)$)", re.MULTILINE)
PARAMETERS = re.compile(r"\bfunction *\w*\(([\w, ]*)\)")


def redeclared(text: str) -> set[str]:
    """Names of keys that a script gives another meaning, so that `KEYS[…]` would be wrong."""
    _, own = text.split("\n", 1)
    found = ", ".join(DECLARED.findall(own) + PARAMETERS.findall(own))
    return set(re.split(r",\s*", found)) & set(keys.NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_call_names_its_key_by_number(name):
    script = scripts.script(name)

    assert not redeclared(script.text)
    assert {key for _, key in scripts.KEY_OF_CALL.findall(script.text)} & set(keys.NAMES) == set()
    assert re.findall(r"redis\.call\('[A-Z]+', KEYS\[\d+\]", script.text)
    assert "meta" in script.keys


@pytest.mark.parametrize(
    "mistake",
    [
        *("local line = 1", "local a, line = 1, 2", "local function f(line)", "local line"),
        *("local a,\n  line = 1, 2", "for _, line in ipairs(x) do", "for line = 1, 2 do"),
    ],
)
def test_control_another_meaning_is_seen(mistake):
    assert redeclared(f"local meta, line = KEYS[1], KEYS[3]\n{mistake}\n") == {"line"}


def test_only_keys_that_are_used_are_sent_and_those_of_the_script_follow():
    found = scripts._with_keys("redis.call('ZADD', line, x.meta, 'lobby', MORE_KEYS[2], ready)")

    assert found.keys == ("line", "ready")
    declared, call = found.text.splitlines()
    assert declared == "local line, ready = KEYS[1], KEYS[2]"
    assert call == "redis.call('ZADD', KEYS[1], x.meta, 'lobby', KEYS[4], ready)"


def test_a_function_that_is_not_used_is_left_out():
    shared = "local function used()\nend\nlocal function unused()\n  used()\nend\n"

    assert "used()" in scripts._used_part(shared, "used()")
    assert "unused" not in scripts._used_part(shared, "used()")


def test_the_rules_of_a_line_are_looked_up_in_a_table():
    line = Line().begin()

    encoding = redis.queue_client().object("encoding", keys.key(line.event_id, "meta"))

    assert encoding == "hashtable"
