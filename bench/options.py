"""The options of all benchmarks. One that is not given leaves a benchmark its own default."""

from argparse import ArgumentParser
from dataclasses import dataclass, fields
from pathlib import Path


@dataclass(frozen=True)
class Options:
    names: list[str]
    volatile: bool = False
    json: Path | None = None
    document: bool = False
    processes: int = 2
    people: int | None = None
    rounds: int = 3
    seconds: float = 2.0
    latency: float | None = None
    pace: float = 25.0
    failures: float = 0.0
    through: str = "api"

    def arguments(self) -> list[str]:
        """The command line of these options, without names and files."""
        given = {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if field.name not in ("names", "json", "document", "volatile")
        }
        flags = ["--volatile"] if self.volatile else []
        return flags + [
            part
            for name, value in given.items()
            if value is not None
            for part in (f"--{name}", str(value))
        ]


def parser(names: list[str]) -> ArgumentParser:
    """`names`: the benchmarks that exist."""
    found = ArgumentParser(
        prog="python -m bench",
        description="Measures the site. `compare OLD.json NEW.json` says what got worse.",
    )
    found.add_argument("names", nargs="*", metavar="NAME", help=f"default: all of {names}")
    found.add_argument(
        "--volatile",
        action="store_true",
        help="no fsync, no append-only file, data in memory where there is room",
    )
    found.add_argument("--json", type=Path, help="write the figures to this file")
    found.add_argument(
        "--document", action="store_true", help="write the tables into docs/performance.md"
    )
    found.add_argument("--processes", type=int, default=2, help="web processes")
    found.add_argument("--people", type=int, help="buyers, sessions or connections")
    found.add_argument("--rounds", type=int, default=3, help="turns; medians are printed")
    found.add_argument("--seconds", type=float, default=2.0, help="of one measurement of a page")
    gateway = found.add_argument_group("checkout and sale")
    gateway.add_argument("--latency", type=float, help="seconds that each gateway call takes")
    gateway.add_argument("--pace", type=float, default=25.0, help="buyers who come in a second")
    gateway.add_argument("--failures", type=float, default=0.0, help="share of failing calls")
    gateway.add_argument("--through", choices=("api", "pages"), default="api")
    return found
