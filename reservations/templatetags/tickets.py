"""`{{ ticket|seat }}` and `{{ ticket.code|in_halves }}`."""

from django import template

from reservations.tickets.labels import code_label, seat_label

register = template.Library()
register.filter("seat", seat_label)
register.filter("in_halves", code_label)
