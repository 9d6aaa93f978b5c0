"""The lab imports nothing of the shop, and its buyers load no Django."""

import ast
import subprocess
import sys
from pathlib import Path

from django.conf import settings

FOLDER = Path(settings.BASE_DIR) / "reservations" / "lab"
OURS = ("ticketing", "waiting_queue", "reservations", "payments")
ALLOWED = ("reservations.lab", "ticketing.core.errors")


def shop_imports(source: str) -> set[str]:
    nodes = ast.walk(ast.parse(source))
    names = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    ours = {name for name in names if name.split(".")[0] in OURS}
    return {name for name in ours if not name.startswith(ALLOWED)}


def test_it_uses_nothing_of_the_shop():
    files = sorted(FOLDER.rglob("*.py"))

    assert len(files) > 10
    assert {path.stem: found for path in files if (found := shop_imports(path.read_text()))} == {}


def test_control_an_import_of_the_shop_is_found():
    assert shop_imports("from reservations.models import Seat") == {"reservations.models"}


def test_a_buyers_process_loads_no_django():
    code = "import sys, reservations.lab.roles; sys.exit('django' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
