"""What search engines and messengers read of a page."""

import json
from typing import Any

from django import template
from django.conf import settings
from django.templatetags.static import static
from django.utils.safestring import SafeString, mark_safe

from ticketing.core.money import decimal_text
from ticketing.events.models import Event
from ticketing.events.selectors import GradeAvailability

register = template.Library()
STATUS = {Event.State.CANCELLED: "https://schema.org/EventCancelled"}
SCHEDULED = "https://schema.org/EventScheduled"
# As `json_script` does: no text of an event can end the element.
ESCAPES = {ord(">"): "\\u003E", ord("<"): "\\u003C", ord("&"): "\\u0026"}


@register.simple_tag
def absolute_url(path: str) -> str:
    """With the site's own name, whatever name the request used."""
    return path if path.startswith("http") else settings.SITE_URL + path


@register.simple_tag
def share_image(event: Event | str) -> str:
    """The poster, or a picture of the site: messengers don't show the generated SVG."""
    poster = event.poster if isinstance(event, Event) else None
    return absolute_url(poster.url if poster else static("img/share.png"))


@register.simple_tag
def event_json_ld(event: Event, grades: list[GradeAvailability]) -> SafeString:
    """The event as schema.org/Event. A data block: browsers run nothing of it."""
    venue = event.plan.venue
    document = {
        "@context": "https://schema.org",
        "@type": "Event",
        "name": event.title,
        "description": event.description,
        "url": absolute_url(event.get_absolute_url()),
        "image": [share_image(event)],
        "startDate": event.starts_at.isoformat(),
        "doorTime": event.doors_at.isoformat(),
        "eventStatus": STATUS.get(Event.State(event.state), SCHEDULED),
        "eventAttendanceMode": "https://schema.org/OfflineEventAttendanceMode",
        "location": {"@type": "Place", "name": venue.name, "address": venue.address or venue.name},
        "organizer": {"@type": "Organization", "name": event.organiser.name},
        "offers": [_offer(event, it) for it in grades],
    }
    if event.ends_at:
        document["endDate"] = event.ends_at.isoformat()
    text = json.dumps(document, ensure_ascii=False).translate(ESCAPES)
    return mark_safe(f'<script type="application/ld+json">{text}</script>')  # noqa: S308 - escaped


def _offer(event: Event, availability: GradeAvailability) -> dict[str, Any]:
    return {
        "@type": "Offer",
        "name": availability.grade.name,
        "price": decimal_text(availability.grade.price, event.currency),
        "priceCurrency": event.currency,
        "availability": f"https://schema.org/{'InStock' if availability.left else 'SoldOut'}",
        "validFrom": event.on_sale_at.isoformat(),
        "url": absolute_url(event.get_absolute_url()),
    }
