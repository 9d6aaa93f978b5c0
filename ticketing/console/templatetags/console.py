"""Numbers as the console writes them; the page's script writes them the same way."""

from typing import Any

from django import template
from django.contrib.humanize.templatetags.humanize import intcomma

from ticketing.console.reporting.words import percent as percent_words
from ticketing.console.services import attention_for
from ticketing.console.words import BREAKER, length_in_words
from ticketing.core import clock
from ticketing.core.money import money
from ticketing.events.models import Grade

register = template.Library()
NOTHING = "–"


@register.filter
def figure(value: Any) -> str:
    """With thousands apart; what is not known is a dash."""
    if value is None or value == "":
        return NOTHING
    if isinstance(value, float):
        return f"{value:,.1f}"
    return str(intcomma(value))


@register.filter
def grade_name(row: dict[str, Any]) -> str:
    """Figures are the same for all who watch; the name is the reader's."""
    return Grade(name_ko=row["name_ko"], name_en=row["name_en"]).name


@register.filter
def length_of_time(seconds: Any) -> str:
    return NOTHING if seconds is None or seconds == "" else length_in_words(int(seconds))


@register.filter
def money_taken(figures: Any) -> str:
    return money(figures["money"], figures["currency"]) if figures else NOTHING


@register.filter
def amount(value: int, currency: str) -> str:
    return money(value, currency)


@register.filter
def percent(share: float) -> str:
    return percent_words(share)


@register.filter
def of(counts: dict[str, int], name: str) -> int:
    return counts.get(name, 0)


@register.filter
def breaker(word: str) -> str:
    return str(BREAKER.get(word, NOTHING))


@register.inclusion_tag("admin/console/attention.html")
def attention(user: Any) -> dict[str, Any]:
    """The panel of the admin's start page."""
    return {"troubles": attention_for(user, now=clock.now())}
