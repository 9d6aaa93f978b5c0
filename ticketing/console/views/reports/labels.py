"""Labels, table rows and sentences of a report, in the language of the reader."""

from typing import Any

from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from ticketing.console.selectors.report import SaleReport
from ticketing.console.selectors.report.fairness import Fairness, TurnOrder
from ticketing.console.selectors.report.journal import DurationStats
from waiting_queue.selectors import LaneShare

NOTHING = "–"
FUNNEL: dict[str, Any] = {
    "joined": gettext_lazy("Got a number"),
    "called": gettext_lazy("Were called"),
    "admitted": gettext_lazy("Came in"),
    "held": gettext_lazy("Held seats"),
    "paid": gettext_lazy("Paid"),
}
DURATIONS: dict[str, Any] = {
    "wait": gettext_lazy("Waiting, from number to call"),
    "answer": gettext_lazy("From the call to coming in"),
    "stay": gettext_lazy("Inside"),
}
STAGES: dict[str, Any] = {
    "waiting": gettext_lazy("while waiting"),
    "called": gettext_lazy("after the call"),
    "inside": gettext_lazy("inside"),
}
OUTCOMES: dict[str, Any] = {
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
    "p50": gettext_lazy("Median"),
    "p90": gettext_lazy("90th percentile"),
    "p95": gettext_lazy("95 % within"),
    "p99": gettext_lazy("99 % within"),
    "longest": gettext_lazy("Longest"),
}


def format_duration(seconds: float) -> str:
    """As in 0.4 s, 12 s, 3:05 min, 1:02:09 h."""
    if seconds < 10:
        return _("%(n)s s") % {"n": f"{seconds:.1f}"}
    whole = round(seconds)
    minutes, rest = divmod(whole, 60)
    if whole < 60:
        return _("%(n)s s") % {"n": whole}
    if minutes < 60:
        return _("%(time)s min") % {"time": f"{minutes}:{rest:02}"}
    return _("%(time)s h") % {"time": f"{minutes // 60}:{minutes % 60:02}:{rest:02}"}


def duration_cells(stats: DurationStats | None) -> list[str]:
    if stats is None:
        return ["0", *[NOTHING] * (len(MEASURES) - 1)]
    return [
        f"{stats.count:,}",
        *(format_duration(getattr(stats, name)) for name in MEASURES if name != "count"),
    ]


def percent(share: float) -> str:
    """Rounded, but never up to 100 % for a share below it."""
    rounded = min(round(100 * share, 1), 99.9) if share < 1 else 100.0
    return f"{rounded:.1f} %"


def funnel_rows(report: SaleReport) -> list[tuple[str, int, str, str]]:
    """Each step with its share of all who got a number, and of the step before."""
    first, before, rows = report.funnel[0][1], report.funnel[0][1], []
    for name, people in report.funnel:
        shares = (percent(people / whole) if whole else NOTHING for whole in (first, before))
        rows.append((str(FUNNEL[name]), people, *shares))
        before = people
    return rows  # type: ignore[return-value]


def outcome_rows(report: SaleReport) -> list[tuple[str, list[int]]]:
    rows = [
        (str(STAGES[stage]), list(counts.values())) for stage, counts in report.outcomes.items()
    ]
    sums = [sum(column) for column in zip(*(counts for _, counts in rows), strict=True)]
    return [*rows, (_("All"), sums)]


def verdict(fair: Fairness) -> str:
    if not fair.calls.turns:
        return _("Nobody has been called yet.")
    if fair.is_fair:
        return _("Everybody was called in the order of their numbers.")
    return _("People were called out of order. Please check.")


def fairness_rows(fair: Fairness) -> list[tuple[str, str, bool]]:
    """What was compared, the result, and whether the result is as it should be."""
    calls, entries = fair.calls, fair.entries
    rows = [
        (_("Calls compared"), f"{calls.turns:,}", True),
        (_("Inversions among calls (must be 0)"), _inversions(calls), not calls.inversions),
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
        rows += [(text, _("yes") if passed else _("no"), passed) for passed, text in lobby.checks]
    return rows + [_lane_row(lane) for lane in fair.lanes]


def _lane_row(lane: LaneShare) -> tuple[str, str, bool]:
    """A lane that was empty or not open for some time may have got less than its weight says."""
    label = _("Lane “%(lane)s”: called, and its share") % {"lane": lane.name}
    shares = {"got": f"{lane.got:.1%}", "wanted": f"{lane.wanted:.1%}", "n": f"{lane.called:,}"}
    return label, _("%(n)s, %(got)s (by weight: %(wanted)s)") % shares, True


def _inversions(order: TurnOrder) -> str:
    if not order.inversions:
        return "0"
    params = {"n": f"{order.inversions:,}", "numbers": ", ".join(map(str, order.overtaken))}
    return _("%(n)s (first overtaken: no. %(numbers)s)") % params


def subtitle(report: SaleReport) -> str:
    params = {"at": f"{localtime(report.made_at):%Y-%m-%d %H:%M}"}
    if report.is_final:
        return _("Final: the queue is closed. Made %(at)s, Seoul time.") % params
    return _("So far: the sale is not closed. Made %(at)s, Seoul time.") % params


def money_rows(report: SaleReport) -> list[tuple[str, int]]:
    if report.revenue is None:
        return []
    return [
        (_("Revenue"), report.revenue.charged),
        (_("Money refunded"), report.revenue.refunded),
        (_("Cancellation fees"), report.revenue.fees),
        (_("Net revenue"), report.revenue.net),
    ]
