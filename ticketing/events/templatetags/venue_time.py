"""`{% at_venue event.starts_at venue.time_zone %}`."""

from datetime import datetime
from zoneinfo import ZoneInfo

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ticketing.core.venue_time import venue_time

register = template.Library()


@register.simple_tag
def at_venue(moment: datetime, time_zone: str, form: str = "full") -> SafeString:
    """A <time> element with the local time at the venue."""
    local = moment.astimezone(ZoneInfo(time_zone)).isoformat(timespec="minutes")
    return format_html('<time datetime="{}">{}</time>', local, venue_time(moment, time_zone, form))
