"""The queue in front of an event's sale, for pages of apps that must not import the queue."""

from django import template

from ticketing.events.models import Event
from waiting_queue import selectors
from waiting_queue.models import SaleQueue

register = template.Library()


@register.simple_tag
def line_of(event: Event) -> SaleQueue | None:
    return selectors.current_queue(event.pk)
