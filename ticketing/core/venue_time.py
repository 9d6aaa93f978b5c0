"""Formats times in the venue's time zone and the reader's language."""

from datetime import datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from django.utils.formats import date_format
from django.utils.translation import get_language

HOME_ZONE = "Asia/Seoul"
# Django has no one-letter weekdays, which Korean uses.
KOREAN_DAYS = "월화수목금토일"
FORMATS = {
    "full": {"ko": "Y년 n월 j일 (D) H:i", "en": "l j F Y, H:i"},
    "short": {"ko": "n월 j일 (D) H:i", "en": "D j M, H:i"},
    "day": {"ko": "Y년 n월 j일 (D)", "en": "D j M Y"},
    "hour": {"ko": "H:i", "en": "H:i"},
    "clock": {"ko": "H:i:s", "en": "H:i:s"},
}


def venue_time(moment: datetime, time_zone: str, form: str = "full") -> str:
    """The local time at the venue; zones other than Seoul's are named."""
    return _formatted(moment, time_zone, form, get_language() or "")


@lru_cache(maxsize=4_096)  # all pages of an event show the same few times
def _formatted(moment: datetime, time_zone: str, form: str, language: str) -> str:
    local = moment.astimezone(ZoneInfo(time_zone))
    if language.startswith("en"):
        pattern = FORMATS[form]["en"]
    else:
        pattern = FORMATS[form]["ko"].replace("D", KOREAN_DAYS[local.weekday()])
    zone = "" if time_zone == HOME_ZONE else f" {local.tzname()}"
    return date_format(local, pattern) + zone
