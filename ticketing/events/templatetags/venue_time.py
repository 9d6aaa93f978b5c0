"""Times as the clock on the venue's wall shows them."""

from datetime import datetime
from zoneinfo import ZoneInfo

from django import template
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language

register = template.Library()

HOME_ZONE = "Asia/Seoul"
KOREAN_DAYS = "월화수목금토일"
FORMATS = {
    "full": {"ko": "Y년 n월 j일 (D) H:i", "en": "l j F Y, H:i"},
    "short": {"ko": "n월 j일 (D) H:i", "en": "D j M, H:i"},
    "day": {"ko": "Y년 n월 j일 (D)", "en": "D j M Y"},
    "hour": {"ko": "H:i", "en": "H:i"},
    "clock": {"ko": "H:i:s", "en": "H:i:s"},
}


@register.simple_tag
def at_venue(moment: datetime, time_zone: str, form: str = "full") -> SafeString:
    """A <time> in the venue's zone, which is named where it is not Seoul's."""
    local = moment.astimezone(ZoneInfo(time_zone))
    words = date_format(local, _format(form, local))
    zone = "" if time_zone == HOME_ZONE else f" {local.tzname()}"
    return format_html(
        '<time datetime="{}">{}{}</time>', local.isoformat(timespec="minutes"), words, zone
    )


def _format(form: str, local: datetime) -> str:
    """Korean writes a weekday with one letter; Django only knows the long name."""
    if (get_language() or "").startswith("en"):
        return FORMATS[form]["en"]
    return FORMATS[form]["ko"].replace("D", KOREAN_DAYS[local.weekday()])
