"""Numbers as the console writes them; the page's script writes them the same way."""

from typing import Any

from django import template
from django.contrib.humanize.templatetags.humanize import intcomma

from ticketing.console.words import BREAKER, length_in_words
from ticketing.core.money import money

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
def length_of_time(seconds: Any) -> str:
    return NOTHING if seconds is None or seconds == "" else length_in_words(int(seconds))


@register.filter
def money_taken(figures: Any) -> str:
    return money(figures["money"], figures["currency"]) if figures else NOTHING


@register.filter
def amount(value: int, currency: str) -> str:
    return money(value, currency)


@register.filter
def breaker(word: str) -> str:
    return str(BREAKER.get(word, NOTHING))
