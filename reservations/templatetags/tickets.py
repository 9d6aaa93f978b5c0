"""`{{ ticket|seat }}`, `{{ ticket.code|in_halves }}` and `{{ ticket|qr }}`."""

from django import template
from django.utils.safestring import SafeString, mark_safe

from reservations.models import Ticket
from reservations.tickets.labels import code_label, seat_label
from reservations.tickets.qr import qr_svg

register = template.Library()
register.filter("seat", seat_label)
register.filter("in_halves", code_label)


@register.filter
def qr(ticket: Ticket) -> SafeString:
    """In the page itself, so that it needs no further request. Drawn by us, of numbers only."""
    return mark_safe(qr_svg(ticket).decode())  # noqa: S308
