"""What many rounds of faults must not cause, counted: the end of a soak on a terminal."""

from collections.abc import Sequence

from ticketing.rehearsal.simulator.history import RUNNER, Record
from ticketing.rehearsal.simulator.judge import Verdict
from ticketing.rehearsal.simulator.terminal.text import Paint

ROWS = {
    "one_owner": "double sales",
    "numbers": "numbers given twice",
    "places": "places lost after they were given",
    "settled": "payments unsettled 15 s after a fault",
    "leaked": "places leaked 10 s after a fault",
}
WIDTH = 42


def lines(verdicts: Sequence[Verdict], records: Sequence[Record], paint: Paint) -> list[str]:
    faults = [it for it in records if it.user == RUNNER and it.action == "fault"]
    buyers = {it.user for it in records if it.action == "arrive"}
    holds = sum(1 for it in records if it.action == "hold" and it.done)
    found = {verdict.name: verdict for verdict in verdicts}
    rows = [
        ("rounds of faults", len(faults), True),
        ("rounds after which the site recovered", sum(fault.done for fault in faults), True),
        ("people", len(buyers), True),
        ("holds answered", holds, True),
        *((title, found[name].found, found[name].holds is True) for name, title in ROWS.items()),
    ]
    return [
        paint(f"{title:<{WIDTH}} {count:>8,}", "green" if is_good else "red")
        for title, count, is_good in rows
    ]
