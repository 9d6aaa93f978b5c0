"""`{{ price|money:event.currency }}`."""

from django import template

from ticketing.core.money import money

register = template.Library()
register.filter(money)
