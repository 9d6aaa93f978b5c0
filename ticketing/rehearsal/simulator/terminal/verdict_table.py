"""The verdicts as a table for a terminal."""

import textwrap
from collections.abc import Iterable

from ticketing.rehearsal.simulator.judge import Verdict
from ticketing.rehearsal.simulator.terminal.text import Paint, fit

SIGNS = {True: ("✓", "holds", "green"), False: ("✗", "BROKEN", "red"), None: ("–", "", "dim")}
TITLE_WIDTH, INDENT = 60, " " * 4


def lines(verdicts: Iterable[Verdict], paint: Paint) -> list[str]:
    rows: list[str] = []
    for verdict in verdicts:
        sign, word, style = SIGNS[verdict.holds]
        checked = f"{verdict.checked:,} checked" if verdict.checked else "not rehearsed"
        text = f"{sign} {fit(str(verdict.title), TITLE_WIDTH):<{TITLE_WIDTH}} {checked:>16}"
        rows.append(paint(text.rstrip(), style))
        if verdict.holds is False and verdict.counterexample:
            rows += textwrap.wrap(
                f"{word}: {verdict.counterexample}",
                80,
                initial_indent=INDENT,
                subsequent_indent=INDENT,
            )
    broken = sum(verdict.holds is False for verdict in verdicts)
    last = paint(f"{broken} broken", "red") if broken else paint("Everything held.", "green")
    return [*rows, "", last]
