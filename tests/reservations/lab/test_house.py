"""The laboratory stays by itself."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

FOLDER = Path(settings.BASE_DIR) / "reservations" / "laboratory"
FILES = sorted(FOLDER.rglob("*.py"))
OURS = ("ticketing", "waiting_queue", "reservations", "payments")
ALLOWED = ("reservations.lab", "ticketing.core.errors")


def imports(path: Path) -> set[str]:
    nodes = ast.walk(ast.parse(path.read_text()))
    return {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_uses_nothing_of_the_shop(path):
    ours = {name for name in imports(path) if name.split(".")[0] in OURS}

    assert {name for name in ours if not name.startswith(ALLOWED)} == set()


def test_a_buyers_process_loads_no_django():
    question = "import sys, reservations.lab.roles; sys.exit('django' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", question]).returncode == 0
