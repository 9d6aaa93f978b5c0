"""What a comparison of two runs reports."""

import json

import pytest

from bench import compare


def run_with(*, durability: str = "fsync on", **columns: float | str) -> dict:
    return {"pages": {"header": {"PostgreSQL": durability}, "tables": {"t": {"home": columns}}}}


@pytest.mark.parametrize(
    ("column", "old", "new"),
    [
        ("requests/s", 100.0, 89.0),
        ("of healthz", 0.3, 0.26),
        ("CPU ms", 10.0, 11.2),
        ("statements", 0, 1),
        ("p95 ms", 100.0, 120.0),
    ],
)
def test_what_got_worse_by_more_than_a_tenth_is_found(column, old, new):
    worse, better = run_with(**{column: new}), run_with(**{column: old})

    (change,) = compare.changes(better, worse)
    assert change.is_worse
    (change,) = compare.changes(worse, better)
    assert not change.is_worse


@pytest.mark.parametrize(("column", "new"), [("CPU ms", 10.9), ("requests/s", 9.1), ("count", 99)])
def test_a_small_change_or_a_mere_count_is_not(column, new):
    (change,) = compare.changes(run_with(**{column: 10.0}), run_with(**{column: new}))

    assert not change.is_worse


def test_the_exit_code_and_the_output_say_it(tmp_path, capsys):
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_text(json.dumps(run_with(**{"CPU ms": 10.0, "status": "200"})))
    new.write_text(json.dumps(run_with(durability="fsync off", **{"CPU ms": 20.0, "status": ""})))

    assert compare.run(str(old), str(new)) == 1
    printed = capsys.readouterr().out
    assert "pages | t | home | CPU ms: 10.00 → 20.00 (2.00 ×)" in printed
    assert "PostgreSQL was “fsync on”, now “fsync off”" in printed
    assert compare.run(str(old), str(old)) == 0
    assert "Nothing got worse" in capsys.readouterr().out


def test_processor_times_are_scaled_by_what_the_same_work_took():
    """Twice as slow a processor is no regression; anything beyond that is."""
    old, same, worse = (run_with(**{"CPU ms": ms, "p95 ms": 5.0}) for ms in (10.0, 20.0, 23.0))
    for run, reference in ((old, 8.0), (same, 16.0), (worse, 16.0)):
        run["pages"]["header"][compare.REFERENCE] = reference

    assert [change.is_worse for change in compare.changes(old, same)] == [False, False]
    assert [change.is_worse for change in compare.changes(old, worse)] == [True, False]
    assert "2.00 × the processor time" in " ".join(compare.unlike(old, same))


def test_figures_that_only_one_run_has_are_left_out():
    assert [*compare.changes(run_with(a=1.0), run_with(b=1.0))] == []
