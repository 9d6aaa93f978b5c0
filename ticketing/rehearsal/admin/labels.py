"""The table of verdicts on a rehearsal's admin page."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from ticketing.rehearsal.simulator.judge import TITLES


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
        title=_title(verdict),
        checked=f"{checked:,}" if isinstance(checked, int) else "",
        mark=mark,
        style=style,
        counterexample=_in_language(verdict.get("counterexample")),
    )


def _title(verdict: dict[str, Any]) -> str:
    """In the reader's language; of a promise that this release does not know, as it was sent."""
    name = str(verdict.get("name") or "")
    return str(TITLES.get(name) or verdict.get("words") or name)


def _in_language(text: Any) -> str:
    """The text in the reader's language; older runners sent one language only."""
    if isinstance(text, dict):
        text = text.get((get_language() or "en")[:2]) or next(iter(text.values()), "")
    return str(text or "")
