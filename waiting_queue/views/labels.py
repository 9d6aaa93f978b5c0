"""Labels that both the server and the page's script fill in; `{m}` and the like are placeholders.

The script has no texts of its own: it reads these from the page.
"""

import math
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from waiting_queue.models import Lane
from waiting_queue.services import GROUP

SCRIPT_LABELS: dict[str, Any] = {
    "moment": _("less than a minute"),
    "minutes": _("{m} min"),
    "hours": _("{h} h {m} min"),
    "eta": _("about {time}"),
    "eta-unknown": _("not known yet"),
    "eta-paused": _("not available while the line is paused"),
    "eta-sold-out": _("none: all seats are sold"),
    "range": _("between {low} and {high}"),
    "range-up-to": _("at most {high}"),
    "range-open": _("at least {low}"),
    "ahead-none": _("You are next."),
    "ahead-one": _("person ahead of you"),
    "ahead-many": _("people ahead of you"),
    "gone": _("People who were ahead of you and have had their turn or left: {gone} of {before}."),
    "title": _("{ahead} ahead · {event}"),
    "spoken": _("{ahead} ahead of you. Estimated wait: {eta}."),
    "spoken-next": _("You are next."),
    "spoken-paused": _("The line is paused. You keep your place."),
    "spoken-resumed": _("The line is moving again."),
    "spoken-sold-out": _("Sold out. You can keep your place on the standby list."),
    "spoken-notice": _("From the organiser: {message}"),
    "live": _("Live"),
    "live-sse": _("Live (SSE)"),
    "checking": _("Checking every {n} s"),
    "reconnecting": _("Reconnecting … your place is kept"),
    "likely": pgettext_lazy("seats for me", "likely"),
    "maybe": pgettext_lazy("seats for me", "maybe"),
    "unlikely": pgettext_lazy("seats for me", "unlikely"),
    "none": pgettext_lazy("seats for me", "none left at the moment"),
    "free": _("{n} available"),
    "turn": _("It is your turn"),
    "party-none": _("Friends can join your place with a code. You are called together."),
    "party-of": _("You wait together: {n} people with one place. You are called together."),
    "spoken-demoted": _("You were moved to the end of the line: {why}"),
    "reason-group": _("Many accounts joined from the same network or browser in a similar way."),
    "spoken-challenge": _("Checking that you are not a robot. This takes a few seconds."),
    "told-here": _("This is how you will be alerted."),
    "turn-body": _("Come in within the time that the page shows."),
}
# Who a lane is for, where it stands below the button that everybody may press.
LANE_QUESTIONS: dict[str, Any] = {
    Lane.Key.CODES: _("Have a presale code?"),
    Lane.Key.MEMBERS: _("Fan-club member?"),
    Lane.Key.INVITATION: _("Have an invitation code?"),
    Lane.Key.EMAILS: _("On the presale list?"),
    Lane.Key.ACCESSIBILITY: _("Approved for accessible booking?"),
}
_BY_CODE = (_("Join with code"), _("Join the lobby with code"))
_BY_EMAIL = (_("Join with your e-mail address"), _("Join the lobby with your e-mail address"))
# The button of a lane: for the line, and for the lobby.
LANE_ACTIONS: dict[str, Any] = {
    Lane.Key.CODES: _BY_CODE,
    Lane.Key.MEMBERS: (
        _("Join with membership number"),
        _("Join the lobby with membership number"),
    ),
    Lane.Key.INVITATION: _BY_CODE,
    Lane.Key.EMAILS: _BY_EMAIL,
    Lane.Key.ACCESSIBILITY: _BY_EMAIL,
}
MINUTE, HOUR = 60, 3600
# Longer times are given in hours and minutes.
MAX_MINUTES = 90


def duration_label(seconds: float) -> str:
    """Return a length of time rounded up to whole minutes."""
    if seconds < MINUTE:
        return str(SCRIPT_LABELS["moment"])
    minutes = math.ceil(seconds / MINUTE)
    if minutes <= MAX_MINUTES:
        return str(SCRIPT_LABELS["minutes"]).format(m=minutes)
    return str(SCRIPT_LABELS["hours"]).format(h=minutes // 60, m=minutes % 60)


def demotion_label(why: str) -> str:
    """Return why somebody was moved to the end; what the system found is said without details."""
    return str(SCRIPT_LABELS["reason-group"]) if why.startswith(GROUP) else why


def eta_label(standing: Mapping[str, Any]) -> str:
    if standing["paused"]:
        return str(SCRIPT_LABELS["eta-paused"])
    if standing["eta_seconds"] is None:
        return str(SCRIPT_LABELS["eta-unknown"])
    if standing["eta_seconds"] < MINUTE:
        return str(SCRIPT_LABELS["moment"])
    return str(SCRIPT_LABELS["eta"]).format(time=duration_label(standing["eta_seconds"]))


def eta_range_label(standing: Mapping[str, Any]) -> str:
    """Return the range of an estimate, without bounds that are unknown or below a minute."""
    if standing["paused"]:
        return ""
    low = _bound_label(standing["eta_low_seconds"])
    high = _bound_label(standing["eta_high_seconds"])
    if low == high:  # neither bound, or both round to the same minute
        return ""
    name = "range" if low and high else "range-open" if low else "range-up-to"
    return str(SCRIPT_LABELS[name]).format(low=low, high=high)


def _bound_label(seconds: float | None) -> str:
    return "" if seconds is None or seconds < MINUTE else duration_label(seconds)


def exact_duration_label(seconds: int) -> str:
    """Return a length of time to the second, for times that people rely on."""
    minutes, rest = divmod(seconds, MINUTE)
    if not minutes:
        return gettext("%(n)s seconds") % {"n": rest}
    if not rest:
        return gettext("%(n)s minutes") % {"n": minutes} if minutes > 1 else gettext("one minute")
    return gettext("%(m)s min %(s)s s") % {"m": minutes, "s": rest}
