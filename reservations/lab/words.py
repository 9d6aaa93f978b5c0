"""The laboratory's words for people."""

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from reservations.lab.race import is_sound
from reservations.lab.results import Outcome, Result, percentile
from reservations.lab.strategies import EARLY, STRATEGIES
from reservations.lab.terms import Terms

NAMES = {EARLY: "redis --early-release"}
SENTENCES: dict[str, Promise] = {
    "none": gettext_lazy("No lock: look, think, write."),
    "optimistic": gettext_lazy("A version column: only the first write counts."),
    "pessimistic": gettext_lazy("A row lock: the others wait for it, briefly."),
    "redis": gettext_lazy("A lock in Redis, given back after the commit."),
    EARLY: gettext_lazy("A lock in Redis, given back before the commit."),
    "gate": gettext_lazy("A gate in Redis, then row lock and constraint."),
    "async": gettext_lazy("Told to wait, answered in order of arrival."),
}


def name(result: Result) -> str:
    return NAMES.get(result.strategy, result.strategy)


def verdict(result: Result) -> str:
    if result.duplicates:
        return _("sold more than once")
    return _("one owner per seat") if result.one_owner_per_seat else _("something went wrong")


def numbers(result: Result) -> str:
    """Rows and duplicates in a line."""
    rows = ngettext("%(count)s row", "%(count)s rows", len(result.sales))
    again = ngettext("%(count)s duplicate", "%(count)s duplicates", result.duplicates)
    parts = (rows % {"count": len(result.sales)}, again % {"count": result.duplicates})
    return ", ".join(parts)


def cost(result: Result) -> str:
    ledger = result.ledger
    words = ngettext(
        "%(count)s statement, %(time)s in the database",
        "%(count)s statements, %(time)s in the database",
        ledger.statements,
    )
    return words % {"count": ledger.statements, "time": milliseconds(ledger.seconds)}


def title(terms: Terms) -> str:
    buyers = ngettext("%(count)s buyer", "%(count)s buyers", terms.buyers)
    seats = ngettext("%(count)s seat", "%(count)s seats", terms.seats)
    return _("%(buyers)s, %(seats)s") % {
        "buyers": buyers % {"count": terms.buyers},
        "seats": seats % {"count": terms.seats},
    }


def notes(result: Result) -> list[str]:
    """What the table has no column for."""
    found = [*_refusals(result), *_troubles(result)]
    if result.accepted:
        words = _("everybody was told to wait (202) within %(time)s.")
        found.append(words % {"time": milliseconds(max(result.accepted))})
    if not is_sound(result):
        found.append(_("it did not keep one owner per seat!"))
    if not STRATEGIES[result.strategy].sound and not result.duplicates:
        found.append(_("by luck nothing went wrong this time; a longer --think-ms makes it surer."))
    return [f"{name(result)}: {words}" for words in found]


def _refusals(result: Result) -> list[str]:
    busy = result.count(Outcome.BUSY)
    words = ngettext(
        "%(count)s buyer was told “busy, try again”.",
        "%(count)s buyers were told “busy, try again”.",
        busy,
    )
    return [words % {"count": busy}] if busy else []


def _troubles(result: Result) -> list[str]:
    kinds = sorted({attempt.trouble for attempt in result.attempts if attempt.trouble})
    return [_("a buyer failed: %(trouble)s") % {"trouble": trouble} for trouble in kinds]


def milliseconds(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    return f"{seconds * 1000:,.0f} ms" if seconds >= 0.01 else f"{seconds * 1000:.1f} ms"


def losers(result: Result, share: int) -> str:
    return milliseconds(percentile(result.losers, share))


def other_pages(result: Result) -> str:
    return milliseconds(percentile(result.visits, 99))
