"""How the invariants of a rehearsal are shown to operators."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext


@dataclass(frozen=True)
class Row:
    words: str
    checked: str
    mark: str
    style: str
    counterexample: str


def verdict_rows(summary: Any) -> list[Row]:
    """As the judge said; what can't be read is left out, the report has it."""
    told = summary.get("verdicts") if isinstance(summary, dict) else None
    return [_row(one) for one in told if isinstance(one, dict)] if isinstance(told, list) else []


def _row(verdict: dict[str, Any]) -> Row:
    held, failed = pgettext("of an invariant", "held"), _("did not hold")
    marks = {True: (held, "passed"), False: (failed, "failed")}
    mark, style = marks.get(verdict.get("holds"), (_("not rehearsed"), ""))  # type: ignore[arg-type]
    checked = verdict.get("checked")
    return Row(
        words=str(verdict.get("words") or verdict.get("name") or ""),
        checked=f"{checked:,}" if isinstance(checked, int) else "",
        mark=mark,
        style=style,
        counterexample=str(verdict.get("counterexample") or ""),
    )
