"""The command line of the benchmarks."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bench import __main__ as command
from bench.options import Options, parser


def test_options_survive_the_way_to_another_process():
    given = ["sale", "--volatile", "--people", "7", "--latency", "0.2", "--through", "pages"]
    options = Options(**vars(parser([]).parse_args(given)))

    again = Options(**vars(parser([]).parse_args(["sale", *options.arguments()])))

    assert again == options
    assert (again.volatile, again.people, again.latency, again.rounds) == (True, 7, 0.2, 3)


def test_an_unknown_benchmark_is_refused():
    with pytest.raises(SystemExit):
        command.main(["nonsense"])


def test_one_that_fails_costs_no_other_its_figures(tmp_path, monkeypatch, capsys):
    def run(arguments: list[str]) -> Any:
        """Each group runs in a process of its own; that of `queue` fails."""
        name, file = arguments[3], Path(arguments[-1])
        if name != "queue":
            file.write_text(json.dumps({name: {"tables": {}}}))
        return subprocess.CompletedProcess(arguments, 1 if name == "queue" else 0)

    monkeypatch.setattr(command.subprocess, "run", run)

    assert command.main(["queue", "holds", "--json", str(tmp_path / "all.json")]) == 1
    assert json.loads((tmp_path / "all.json").read_text()) == {"holds": {"tables": {}}}
    assert "failed: queue" in capsys.readouterr().out
