"""Which processes are alive, by their heartbeats."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from ticketing.console import selectors
from ticketing.operations.selectors.finding import Finding
from ticketing.processes import PRODUCTION


def alive(now: datetime) -> Iterator[Finding]:
    counts = Counter(it.kind for it in selectors.processes(now) if not it.is_silent)
    for process in PRODUCTION:
        if not counts[process.name]:
            yield Finding(
                f"No {process.name} is running.",
                f"Start it: systemctl start {unit(process.name)}; journalctl -u says why it ended.",
            )


def unit(name: str) -> str:
    return "ticketing-web@1" if name == "web" else f"ticketing@{name}"
