"""Labels of the waiting page."""

import pytest
from django.utils import translation

from waiting_queue.views import labels


@pytest.mark.parametrize(
    ("seconds", "label"),
    [
        (0, "less than a minute"),
        (59, "less than a minute"),
        (60, "1 min"),
        (61, "2 min"),
        (5400, "90 min"),
        (5401, "1 h 31 min"),
    ],
)
def test_durations_are_rounded_up_to_minutes(seconds, label):
    with translation.override("en"):
        assert labels.duration_label(seconds) == label


# (at best, at worst) in seconds, and the range in English and in Korean. The page's script is
# tested with the same ones.
RANGES = [
    (450, 611, "between 8 min and 11 min", "8분에서 11분 사이"),
    (60, 5401, "between 1 min and 1 h 31 min", "1분에서 1시간 31분 사이"),
    (430, 475, "", ""),  # both are 8 min
    (450, None, "at least 8 min", "최소 8분"),
    (60, None, "at least 1 min", "최소 1분"),
    (59, None, "", ""),
    (0, None, "", ""),
    (30, 90, "at most 2 min", "최대 2분"),
    (0, 2400, "at most 40 min", "최대 40분"),
    (None, 90, "at most 2 min", "최대 2분"),
    (10, 40, "", ""),
    (None, 40, "", ""),
    (None, None, "", ""),
]


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize(("low", "high", "english", "korean"), RANGES)
def test_a_range_gives_only_the_known_bounds_of_a_minute_or_more(
    low, high, english, korean, language
):
    standing = {"paused": False, "eta_low_seconds": low, "eta_high_seconds": high}
    with translation.override(language):
        label = labels.eta_range_label(standing)

    assert label == (english if language == "en" else korean)


def test_a_paused_line_has_no_range():
    standing = {"paused": True, "eta_low_seconds": 450, "eta_high_seconds": 611}

    assert labels.eta_range_label(standing) == ""
