"""The line in front of an event's sale, for the pages of apps that know nothing of queues."""

from django import template

from ticketing.events.models import Event
from waiting_queue import services
from waiting_queue.models import SaleQueue

register = template.Library()


@register.simple_tag
def line_of(event: Event) -> SaleQueue | None:
    return services.line_of(event.pk)
