"""The poster of an event."""

from django import template
from django.urls import reverse

from ticketing.events.models import Event

register = template.Library()


@register.simple_tag
def poster_url(event: Event) -> str:
    """URL of the uploaded poster, or of a generated one."""
    if event.poster:
        return event.poster.url
    return reverse("ticketing:poster", args=[event.pk])
