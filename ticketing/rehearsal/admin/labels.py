"""The table of verdicts on a rehearsal's admin page."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext


@dataclass(frozen=True)
class VerdictRow:
    title: str
    checked: str
    mark: str
    style: str
    counterexample: str


def verdict_rows(summary: Any) -> list[VerdictRow]:
    """The verdicts of an uploaded summary; malformed ones are left out, the report has them."""
    verdicts = summary.get("verdicts") if isinstance(summary, dict) else None
    if not isinstance(verdicts, list):
        return []
    return [_row(verdict) for verdict in verdicts if isinstance(verdict, dict)]


def _row(verdict: dict[str, Any]) -> VerdictRow:
    held, failed = pgettext("of an invariant", "held"), _("did not hold")
    marks = {True: (held, "passed"), False: (failed, "failed")}
    mark, style = marks.get(verdict.get("holds"), (_("not rehearsed"), ""))  # type: ignore[arg-type]
    checked = verdict.get("checked")
    return VerdictRow(
        title=str(verdict.get("words") or verdict.get("name") or ""),
        checked=f"{checked:,}" if isinstance(checked, int) else "",
        mark=mark,
        style=style,
        counterexample=str(verdict.get("counterexample") or ""),
    )
