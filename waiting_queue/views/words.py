"""Words that both the server and the page's script say; `{m}` and the like are filled in by either.

The script has none of its own: it reads these from the page.
"""

import math
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

WORDS: dict[str, Any] = {
    "moment": _("less than a minute"),
    "minutes": _("{m} min"),
    "hours": _("{h} h {m} min"),
    "eta": _("about {time}"),
    "eta-unknown": _("can’t be told yet"),
    "eta-paused": _("none while the line is paused"),
    "range": _("between {low} and {high}"),
    "range-up-to": _("at most {high}"),
    "range-open": _("at least {low}"),
    "ahead-none": _("You are next."),
    "ahead-one": _("person ahead of you"),
    "ahead-many": _("people ahead of you"),
    "gone": _("{gone} of the {before} who came before you have had their turn or left."),
    "title": _("{ahead} ahead · {event}"),
    "spoken": _("{ahead} ahead of you. Estimated wait: {eta}."),
    "spoken-next": _("You are next."),
    "spoken-paused": _("The line is paused. You keep your place."),
    "spoken-resumed": _("The line moves again."),
    "spoken-notice": _("From the organiser: {message}"),
    "live": _("Live"),
    "live-sse": _("Live (SSE)"),
    "checking": _("Checking every {n} s"),
    "reconnecting": _("Reconnecting … your place is kept"),
    "likely": pgettext_lazy("seats for me", "likely"),
    "maybe": pgettext_lazy("seats for me", "maybe"),
    "unlikely": pgettext_lazy("seats for me", "unlikely"),
    "none": pgettext_lazy("seats for me", "none left now"),
    "free": _("{n} free"),
    "turn": _("It is your turn"),
    "told-here": _("You will be told like this."),
    "turn-body": _("Come in within the time that the page shows."),
}
MINUTE, HOUR = 60, 3600
# So many minutes are still said as minutes.
LONGEST_IN_MINUTES = 90


def in_words(seconds: float) -> str:
    """A length of time as people say it, rounded up to whole minutes."""
    if seconds < MINUTE:
        return str(WORDS["moment"])
    minutes = math.ceil(seconds / MINUTE)
    if minutes <= LONGEST_IN_MINUTES:
        return str(WORDS["minutes"]).format(m=minutes)
    return str(WORDS["hours"]).format(h=minutes // 60, m=minutes % 60)


def eta_in_words(standing: Mapping[str, Any]) -> str:
    if standing["paused"]:
        return str(WORDS["eta-paused"])
    if standing["eta_seconds"] is None:
        return str(WORDS["eta-unknown"])
    if standing["eta_seconds"] < MINUTE:
        return str(WORDS["moment"])
    return str(WORDS["eta"]).format(time=in_words(standing["eta_seconds"]))


def range_in_words(standing: Mapping[str, Any]) -> str:
    """The range around an estimate; nothing where the estimate says it all."""
    low, high = standing["eta_low_seconds"], standing["eta_high_seconds"]
    if standing["paused"] or low is None or (high is not None and high < MINUTE):
        return ""
    if high is None:
        return str(WORDS["range-open"]).format(low=in_words(low))
    if low < MINUTE:
        return str(WORDS["range-up-to"]).format(high=in_words(high))
    return str(WORDS["range"]).format(low=in_words(low), high=in_words(high))


def time_kept(seconds: int) -> str:
    """How long something is kept, exactly: it is a promise."""
    minutes, rest = divmod(seconds, MINUTE)
    if not minutes:
        return gettext("%(n)s seconds") % {"n": rest}
    if not rest:
        return gettext("%(n)s minutes") % {"n": minutes} if minutes > 1 else gettext("one minute")
    return gettext("%(m)s min %(s)s s") % {"m": minutes, "s": rest}
