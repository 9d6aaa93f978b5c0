"""The verdicts, for a terminal."""

import textwrap
from collections.abc import Iterable

from ticketing.rehearsal.simulator.judge import Verdict
from ticketing.rehearsal.simulator.screen import Paint, fit

SIGNS = {True: ("✓", "holds", "green"), False: ("✗", "BROKEN", "red"), None: ("–", "", "dim")}
WORDS, INDENT = 60, " " * 4


def lines(verdicts: Iterable[Verdict], paint: Paint) -> list[str]:
    told: list[str] = []
    for verdict in verdicts:
        sign, word, style = SIGNS[verdict.holds]
        checked = f"{verdict.checked:,} checked" if verdict.checked else "not rehearsed"
        row = f"{sign} {fit(verdict.words, WORDS):<{WORDS}} {checked:>16}"
        told.append(paint(row.rstrip(), style))
        if verdict.holds is False and verdict.counterexample:
            told += textwrap.wrap(
                f"{word}: {verdict.counterexample}",
                80,
                initial_indent=INDENT,
                subsequent_indent=INDENT,
            )
    broken = sum(verdict.holds is False for verdict in verdicts)
    last = paint(f"{broken} broken", "red") if broken else paint("Everything held.", "green")
    return [*told, "", last]
