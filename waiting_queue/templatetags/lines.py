"""The queue in front of an event's sale, for pages of apps that must not import the queue."""

from django import template

from ticketing.events.models import Event
from waiting_queue import selectors
from waiting_queue.models import SaleQueue
from waiting_queue.selectors.labels import reason_text

register = template.Library()
register.filter("reason_text", reason_text)


@register.simple_tag
def line_of(event: Event) -> SaleQueue | None:
    queue = selectors.current_queue(event.pk)
    if queue:
        queue.event = event  # whose state the line follows
    return queue
