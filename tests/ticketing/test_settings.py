"""The modules of the settings are all put together, each setting has one place, and order holds."""

import ast
from collections import Counter
from pathlib import Path

from ticketing import settings as site

PACKAGE = Path(site.__file__).parent
PREFIX = "ticketing.settings."


def imported_modules(file: Path) -> list[str]:
    """The modules of the settings that a file imports from, in its order."""
    imports = (
        node for node in ast.parse(file.read_text()).body if isinstance(node, ast.ImportFrom)
    )
    names = [node.module or "" for node in imports]
    return [name.removeprefix(PREFIX) for name in names if name.startswith(PREFIX)]


def assigned_settings(file: Path) -> set[str]:
    """The upper-case names that a file assigns, also inside `if` and in tuples."""
    names = (node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Name))
    return {node.id for node in names if isinstance(node.ctx, ast.Store) and node.id.isupper()}


def modules_left_out(package: Path) -> set[str]:
    files = {file.stem for file in package.glob("*.py")} - {"__init__"}
    return files ^ set(imported_modules(package / "__init__.py"))


def settings_with_two_places(package: Path) -> set[str]:
    counted = Counter(name for file in package.glob("*.py") for name in assigned_settings(file))
    return {name for name, places in counted.items() if places > 1}


def imports_from_below(package: Path) -> set[tuple[str, str]]:
    order = imported_modules(package / "__init__.py")
    return {
        (name, used)
        for at, name in enumerate(order)
        for used in imported_modules(package / f"{name}.py")
        if used not in order[:at]
    }


def test_every_module_is_part_of_the_settings():
    assert modules_left_out(PACKAGE) == set()


def test_no_setting_has_two_places():
    assert settings_with_two_places(PACKAGE) == set()


def test_a_module_depends_on_those_above_it_only():
    assert imports_from_below(PACKAGE) == set()


def test_control_planted_mistakes_are_found(tmp_path):
    (tmp_path / "__init__.py").write_text(
        "from ticketing.settings.one import *\nfrom ticketing.settings.two import *\n"
    )
    (tmp_path / "one.py").write_text(
        "from ticketing.settings.two import PORT\nHOST, URL = 'a', PORT"
    )
    (tmp_path / "two.py").write_text("PORT = 1\nif PORT:\n    HOST = 'b'\n")
    (tmp_path / "three.py").write_text("LOST = 1\n")

    assert modules_left_out(tmp_path) == {"three"}
    assert settings_with_two_places(tmp_path) == {"HOST"}
    assert imports_from_below(tmp_path) == {("one", "two")}
