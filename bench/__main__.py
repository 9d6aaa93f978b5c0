"""`python -m bench` runs every benchmark, `python -m bench pages --people 8` one.

Each benchmark has a process of its own, because Django connects to one database per process; those
that need the whole site share one.
"""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench import compare, document, whole_site
from bench.options import Options, parser

# Benchmarks in one group share a process, and so a site.
GROUPS = [
    ["pages", "checkout", "sale", "settlement"],
    ["seat_list"],
    ["queue"],
    ["line"],
    ["challenge"],
    ["rebuild"],
    ["live"],
    ["opening"],
    ["storm"],
    ["holds"],
    ["seat_map"],
    ["autopilot"],
]
NAMES = [name for group in GROUPS for name in group]


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["compare"]:
        return compare.run(*arguments[1:])
    read = parser(NAMES)
    options = Options(**vars(read.parse_args(arguments)))
    if unknown := set(options.names) - set(NAMES):
        read.error(f"no such benchmark: {', '.join(sorted(unknown))}")
    wanted = options.names or NAMES
    groups = [found for group in GROUPS if (found := [name for name in group if name in wanted])]
    results = _run(groups[0], options) if len(groups) == 1 else _run_each(groups, options)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1, ensure_ascii=False))
    if options.document:
        document.fill_in(results)
    missing = [name for group in groups for name in group if name not in results]
    if missing:
        print(f"\nfailed: {', '.join(missing)}")
    return 1 if missing else 0


def _run(names: list[str], options: Options) -> dict[str, Any]:
    if names[0] in GROUPS[0]:
        return whole_site.run(names, options)
    return {name: import_module(f"bench.{name}").run(options).end() for name in names}


def _run_each(groups: list[list[str]], options: Options) -> dict[str, Any]:
    """One that fails does not stop the others, nor cost their figures."""
    results: dict[str, Any] = {}
    with TemporaryDirectory() as folder:
        for group in groups:
            file = Path(folder) / f"{group[0]}.json"
            command = [sys.executable, "-m", "bench", *group, *options.arguments()]
            if subprocess.run([*command, "--json", str(file)]).returncode == 0:
                results |= json.loads(file.read_text())
    return results


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
