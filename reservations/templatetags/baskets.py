"""`{% seats_in_basket event.pk caller as held %}`, for pages of apps that import none of this."""

from django import template

from reservations.selectors import own_seats
from ticketing.accounts.selectors import Caller
from ticketing.core import clock

register = template.Library()


@register.simple_tag
def seats_in_basket(event_id: int, caller: Caller | None) -> int:
    """How many seats this person holds or is paying for."""
    if not caller:  # may be a lazy one
        return 0
    seats = own_seats(event_id=event_id, fan_id=caller.id, now=clock.now())
    return sum(seat.is_in_basket for seat in seats)
