"""`python -m bench.cluster`: a sale with Sentinel, one with a cluster of six, and the table."""

import argparse
import asyncio
import resource
import shutil
import sys
import tempfile
from pathlib import Path

from ticketing.development.embedded.errors import CannotRun

RUNS = ("sentinel", "cluster", "table")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.cluster", description=__doc__)
    parser.add_argument("runs", nargs="*", metavar="RUN", help=f"default: all of {RUNS}")
    parser.add_argument("--fans", type=int, help="people of a sale; default: by the machine")
    parser.add_argument("--minutes", type=float, default=2.5, help="from opening to closing")
    parser.add_argument(
        "--return-seconds", type=float, help="until a fault must be over; default: by the machine"
    )
    parser.add_argument("--hosts", type=int, default=3, help="application hosts of a sale")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="cause only faults with this in their name")
    parser.add_argument("--folder", type=Path, help="keep logs and records there")
    options = parser.parse_args(arguments)
    if unknown := set(options.runs) - set(RUNS):
        parser.error(f"no such run: {', '.join(sorted(unknown))}")
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    folder = options.folder or Path(tempfile.mkdtemp(prefix="cluster-"))
    try:
        results = [_run(name, options, folder / name) for name in options.runs or RUNS]
    except CannotRun as reason:
        print(f"This can't run here. {reason}", file=sys.stderr)
        return 2
    finally:
        if not options.folder:
            shutil.rmtree(folder, ignore_errors=True)
    return 0 if all(results) else 1


def _run(name: str, options: argparse.Namespace, folder: Path) -> bool:
    if folder.exists():
        raise CannotRun(f"{folder} is there already, with the servers of another run.")
    folder.mkdir(parents=True)
    for parent in (folder, folder.parent):
        parent.chmod(0o755)
    if name == "table":
        from bench.cluster.table import measure

        return measure(folder)
    from bench.cluster.sale import run

    return asyncio.run(run(name == "cluster", options, folder))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
