"""Labels and sentences about race results."""

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from reservations.lab.config import RaceConfig
from reservations.lab.results import Outcome, RaceResult, percentile
from reservations.lab.strategies import EARLY, STRATEGIES, kept_promise

NAMES = {EARLY: "redis --early-release"}
DESCRIPTIONS: dict[str, Promise] = {
    "none": gettext_lazy("No lock: look, think, write."),
    "optimistic": gettext_lazy("A version column: only the first write counts."),
    "pessimistic": gettext_lazy("A row lock: the others wait for it, briefly."),
    "redis": gettext_lazy("A lock in Redis, given back after the commit."),
    EARLY: gettext_lazy("A lock in Redis, given back before the commit."),
    "gate": gettext_lazy("A gate in Redis, then row lock and constraint."),
    "async": gettext_lazy("Told to wait, answered in order of arrival."),
}


def name(result: RaceResult) -> str:
    return NAMES.get(result.strategy, result.strategy)


def verdict(result: RaceResult) -> str:
    if result.duplicates:
        return _("sold more than once")
    return _("one owner per seat") if result.one_owner_per_seat else _("something went wrong")


def numbers(result: RaceResult) -> str:
    """Rows and duplicates in one line."""
    rows = ngettext("%(count)s row", "%(count)s rows", len(result.sales))
    again = ngettext("%(count)s duplicate", "%(count)s duplicates", result.duplicates)
    parts = (rows % {"count": len(result.sales)}, again % {"count": result.duplicates})
    return ", ".join(parts)


def cost(result: RaceResult) -> str:
    spent = result.database_cost
    text = ngettext(
        "%(count)s statement, %(time)s in the database",
        "%(count)s statements, %(time)s in the database",
        spent.statements,
    )
    return text % {"count": spent.statements, "time": milliseconds(spent.seconds)}


def title(config: RaceConfig) -> str:
    buyers = ngettext("%(count)s buyer", "%(count)s buyers", config.buyers)
    seats = ngettext("%(count)s seat", "%(count)s seats", config.seats)
    return _("%(buyers)s, %(seats)s") % {
        "buyers": buyers % {"count": config.buyers},
        "seats": seats % {"count": config.seats},
    }


def notes(result: RaceResult) -> list[str]:
    """Remarks that have no column in the table."""
    found = [*_refusals(result), *_errors(result)]
    if result.accepted:
        text = _("everybody was told to wait (202) within %(time)s.")
        found.append(text % {"time": milliseconds(max(result.accepted))})
    if not kept_promise(result):
        found.append(_("it did not keep one owner per seat!"))
    if not STRATEGIES[result.strategy].sound and not result.duplicates:
        found.append(_("by luck nothing went wrong this time; a longer --think-ms makes it surer."))
    return [f"{name(result)}: {text}" for text in found]


def _refusals(result: RaceResult) -> list[str]:
    busy = result.count(Outcome.BUSY)
    text = ngettext(
        "%(count)s buyer was told “busy, try again”.",
        "%(count)s buyers were told “busy, try again”.",
        busy,
    )
    return [text % {"count": busy}] if busy else []


def _errors(result: RaceResult) -> list[str]:
    kinds = sorted({attempt.error for attempt in result.attempts if attempt.error})
    return [_("a buyer failed: %(trouble)s") % {"trouble": error} for error in kinds]


def milliseconds(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    return f"{seconds * 1000:,.0f} ms" if seconds >= 0.01 else f"{seconds * 1000:.1f} ms"


def losers(result: RaceResult, share: int) -> str:
    return milliseconds(percentile(result.losers, share))


def other_pages(result: RaceResult) -> str:
    return milliseconds(percentile(result.page_times, 99))
