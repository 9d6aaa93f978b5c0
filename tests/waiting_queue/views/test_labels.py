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


@pytest.mark.parametrize(
    ("low", "high", "label"),
    [
        (450, 611, "between 8 min and 11 min"),
        (30, 90, "at most 2 min"),
        (450, None, "at least 8 min"),
        (10, 40, ""),
        (None, None, ""),
    ],
)
def test_a_range_gives_only_the_known_bounds(low, high, label):
    standing = {"paused": False, "eta_low_seconds": low, "eta_high_seconds": high}
    with translation.override("en"):
        assert labels.eta_range_label(standing) == label
