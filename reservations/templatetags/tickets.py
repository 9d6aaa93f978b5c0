"""`{{ ticket|seat }}` and `{{ ticket.code|in_halves }}`."""

from django import template

from reservations.tickets.words import code_words, seat_words

register = template.Library()
register.filter("seat", seat_words)
register.filter("in_halves", code_words)
