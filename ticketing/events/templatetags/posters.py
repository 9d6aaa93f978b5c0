"""Which picture stands for an event."""

from django import template
from django.urls import reverse

from ticketing.events.models import Event

register = template.Library()


@register.simple_tag
def poster_url(event: Event) -> str:
    """The organiser's poster, or the art that we draw where there is none."""
    if event.poster:
        return event.poster.url
    return reverse("ticketing:poster", args=[event.pk])
