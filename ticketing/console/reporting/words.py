"""The words of a report."""

from typing import Any

from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from ticketing.console.reporting.fairness import Fairness, Order
from ticketing.console.reporting.line import Span
from ticketing.console.reporting.report import Report

NOTHING = "–"
FUNNEL: dict[str, Any] = {
    "joined": gettext_lazy("Got a number"),
    "called": gettext_lazy("Were called"),
    "admitted": gettext_lazy("Came in"),
    "held": gettext_lazy("Held seats"),
    "paid": gettext_lazy("Paid"),
}
SPANS: dict[str, Any] = {
    "wait": gettext_lazy("Waiting, from number to call"),
    "answer": gettext_lazy("From the call to coming in"),
    "stay": gettext_lazy("Inside"),
}
STAGES: dict[str, Any] = {
    "waiting": gettext_lazy("while waiting"),
    "called": gettext_lazy("after the call"),
    "inside": gettext_lazy("inside"),
}
ENDINGS: dict[str, Any] = {
    "completed": gettext_lazy("bought and finished"),
    "left": pgettext_lazy("of a person in a line", "left"),
    "expired": gettext_lazy("away or too late"),
    "blocked": gettext_lazy("moved out"),
    "closed": gettext_lazy("the queue closed"),
    "": gettext_lazy("still there"),
}
MEASURES: dict[str, Any] = {
    "count": gettext_lazy("Number of people"),
    "average": gettext_lazy("Average"),
    "p50": gettext_lazy("Half within"),
    "p90": gettext_lazy("90 % within"),
    "p95": gettext_lazy("95 % within"),
    "p99": gettext_lazy("99 % within"),
    "longest": gettext_lazy("Longest"),
}


def time_words(seconds: float) -> str:
    """0.4 s, 12 s, 3:05 min, 1:02:09 h."""
    if seconds < 10:
        return _("%(n)s s") % {"n": f"{seconds:.1f}"}
    whole = round(seconds)
    minutes, rest = divmod(whole, 60)
    if whole < 60:
        return _("%(n)s s") % {"n": whole}
    if minutes < 60:
        return _("%(time)s min") % {"time": f"{minutes}:{rest:02}"}
    return _("%(time)s h") % {"time": f"{minutes // 60}:{minutes % 60:02}:{rest:02}"}


def span_words(span: Span | None) -> list[str]:
    if span is None:
        return ["0", *[NOTHING] * (len(MEASURES) - 1)]
    return [
        f"{span.count:,}",
        *(time_words(getattr(span, name)) for name in MEASURES if name != "count"),
    ]


def percent(share: float) -> str:
    """Everything is 100 % only when it is."""
    shown = min(round(100 * share, 1), 99.9) if share < 1 else 100.0
    return f"{shown:.1f} %"


def funnel_rows(report: Report) -> list[tuple[str, int, str, str]]:
    """Each step, of those who got a number, and of those of the step before."""
    first, before, rows = report.funnel[0][1], report.funnel[0][1], []
    for name, people in report.funnel:
        shares = (percent(people / whole) if whole else NOTHING for whole in (first, before))
        rows.append((str(FUNNEL[name]), people, *shares))
        before = people
    return rows  # type: ignore[return-value]


def ending_rows(report: Report) -> list[tuple[str, list[int]]]:
    rows = [(str(STAGES[stage]), list(counts.values())) for stage, counts in report.endings.items()]
    sums = [sum(column) for column in zip(*(counts for _, counts in rows), strict=True)]
    return [*rows, (_("All"), sums)]


def verdict(fair: Fairness) -> str:
    if not fair.calls.turns:
        return _("Nobody has been called yet.")
    if fair.holds:
        return _("Everybody was called in the order of their numbers.")
    return _("The order was not kept. Look into it.")


def fairness_rows(fair: Fairness) -> list[tuple[str, str, bool]]:
    """What was compared, what came out, and whether it is as it should be."""
    calls, entries = fair.calls, fair.entries
    rows = [
        (_("Calls compared"), f"{calls.turns:,}", True),
        (_("Inversions among calls (must be 0)"), _count(calls), not calls.inversions),
        (_("Inversions among those who came in (not everybody comes in at once)"),
         f"{entries.inversions:,}", True),
    ]  # fmt: skip
    if fair.lobby:
        lobby = fair.lobby
        drawn = _("%(numbered)s of %(people)s") % {
            "numbered": f"{lobby.numbered:,}",
            "people": f"{lobby.people:,}",
        }
        rows += [
            (_("People of the lobby who got their number"), drawn, True),
            (_("Numbers that are not those of the published draw (must be 0)"),
             f"{lobby.misplaced:,}", not lobby.misplaced),
        ]  # fmt: skip
        rows += [(words, _("yes") if holds else _("no"), holds) for holds, words in lobby.checks]
    return rows


def _count(order: Order) -> str:
    if not order.inversions:
        return "0"
    told = {"n": f"{order.inversions:,}", "numbers": ", ".join(map(str, order.overtaken))}
    return _("%(n)s (first overtaken: no. %(numbers)s)") % told


def subtitle(report: Report) -> str:
    told = {"at": f"{localtime(report.made_at):%Y-%m-%d %H:%M}"}
    if report.is_final:
        return _("Final: the queue is closed. Made %(at)s, Seoul time.") % told
    return _("So far: the sale is not closed. Made %(at)s, Seoul time.") % told


def money_rows(report: Report) -> list[tuple[str, int]]:
    if report.money is None:
        return []
    return [
        (_("Money taken"), report.money.charged),
        (_("Money refunded"), report.money.refunded),
        (_("Fees kept of refunds"), report.money.fees),
        (_("Money that stays"), report.money.net),
    ]
