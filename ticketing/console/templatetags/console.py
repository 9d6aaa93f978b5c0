"""Formats figures for the console's pages, in the same way as the page's script."""

from typing import Any

from django import template
from django.contrib.humanize.templatetags.humanize import intcomma

from ticketing.console.services import alerts_for
from ticketing.console.views.labels import BREAKER, format_duration
from ticketing.console.views.reports.labels import percent as format_percent
from ticketing.core import clock
from ticketing.core.money import money
from ticketing.events.models import Grade
from waiting_queue.selectors import number_label

register = template.Library()
NOTHING = "–"


@register.filter
def figure(value: Any) -> str:
    """With thousands separators; a dash for an unknown value."""
    if value is None or value == "":
        return NOTHING
    if isinstance(value, float):
        return f"{value:,.1f}"
    return str(intcomma(value))


@register.filter
def share(value: float) -> str:
    return f"{value:.0%}".replace("%", " %")


@register.filter
def place_number(number: int) -> str:
    return number_label(number)


@register.filter
def grade_name(row: dict[str, Any]) -> str:
    """The grade's name in the language of the reader."""
    return Grade(name_ko=row["name_ko"], name_en=row["name_en"]).name


@register.filter
def length_of_time(seconds: Any) -> str:
    return NOTHING if seconds is None or seconds == "" else format_duration(int(seconds))


@register.filter
def money_taken(figures: Any) -> str:
    return money(figures["money"], figures["currency"]) if figures else NOTHING


@register.filter
def amount(value: int, currency: str) -> str:
    return money(value, currency)


@register.filter
def percent(share: float) -> str:
    return format_percent(share)


@register.filter
def of(counts: dict[str, int], name: str) -> int:
    return counts.get(name, 0)


@register.filter
def breaker(state: str) -> str:
    return str(BREAKER.get(state, NOTHING))


@register.inclusion_tag("admin/console/alerts.html")
def alerts(user: Any) -> dict[str, Any]:
    """The panel of alerts on the admin's start page."""
    return {"alerts": alerts_for(user, now=clock.now())}
