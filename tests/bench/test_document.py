"""The tables of a run in docs/performance.md."""

import importlib

import pytest

from bench import document
from bench.__main__ import NAMES

RESULT = {
    "header": {"date": "2026-11-17", "cores": 2},
    "tables": {"t": {"home": {"requests/s": 61.5}, "event": {"status": "200"}}},
}


def test_a_run_replaces_what_stands_between_its_marks(tmp_path):
    doc = tmp_path / "performance.md"
    doc.write_text("# A\n<!-- pages -->\nold\n<!-- end -->\nB\n<!-- sale -->\nkept\n<!-- end -->\n")

    assert document.fill_in({"pages": RESULT, "unknown": RESULT}, doc) == ["unknown"]
    assert document.fill_in({"pages": RESULT}, doc) == []

    assert doc.read_text() == (
        "# A\n<!-- pages -->\ndate 2026-11-17; cores 2.\n\n| t | requests/s | status |\n"
        "|---|--:|--:|\n| home | 61.5 |  |\n| event |  | 200 |\n<!-- end -->\nB\n"
        "<!-- sale -->\nkept\n<!-- end -->\n"
    )


def test_the_document_has_a_place_for_every_benchmark():
    text = document.DOCUMENT.read_text()

    assert [name for name in NAMES if f"<!-- {name} -->\n" not in text] == []
    assert text.count("<!-- end -->") >= len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_benchmark_can_be_started(name):
    module = importlib.import_module(f"bench.{name}")

    assert callable(getattr(module, "measure", None) or module.run)
