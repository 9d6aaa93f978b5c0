"""docs/requirements.md lists every requirement once, each with a test that exists."""

import ast
from functools import cache
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
DOC = (ROOT / "docs" / "requirements.md").read_text()
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in DOC.splitlines()
    if line.startswith(("| S", "| C-", "| D-"))
]
LAST = {"S0": 16, "S1": 19, "S2": 16, "S3": 22, "S4": 17, "C": 23, "D": 6}
NEVER_GIVEN = {"S1-7", "C-13", "C-18"}
NUMBERS = {f"{part}-{n}" for part, last in LAST.items() for n in range(1, last + 1)} - NEVER_GIVEN


@cache
def functions_in(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text())
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, functions))


def problem_of(test: str) -> str:
    """What is wrong with a test that is named as `path::test`; empty if it exists."""
    path, _, name = test.strip("`").partition("::")
    if not name.startswith("test_") or not (ROOT / path).is_file():
        return f"{test}: no such file"
    return "" if name in functions_in(path) else f"{test}: no such test"


def test_every_requirement_is_there_once():
    found = [row[0] for row in ROWS]

    assert sorted(found) == sorted(set(found))
    assert set(found) == NUMBERS


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_it_says_what_how_and_by_which_test(row):
    _, requirement, how, test = row

    assert requirement
    assert how
    assert problem_of(test) == ""


@pytest.mark.parametrize(
    "test",
    [
        "`tests/docs/test_nothing.py::test_it`",
        "`tests/docs/test_requirements.py::test_that_was_renamed`",
        "`tests/docs/test_requirements.py`",
        "–",
    ],
)
def test_control_a_test_that_does_not_exist_is_found(test):
    assert problem_of(test)
