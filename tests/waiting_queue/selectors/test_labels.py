"""The audit log stores codes; labels show them in the reader's language."""

import pytest
from django.utils import translation

from waiting_queue.models import QueueChange
from waiting_queue.selectors.labels import reason_label, value_label

SLOW = "autopilot: slow_pages 1200 800"


@pytest.mark.parametrize(
    ("why", "words"),
    [
        (SLOW, "pages take 1,200 ms, the target is 800 ms: slower"),
        ("autopilot: by_hand", "the rate was turned by hand"),
        ("autopilot: stock -3 0", "seats for -3 more people: no faster than that"),
        *[(it, it) for it in ("autopilot: odd 1 2", "autopilot: full x", "autopilot: ", "", "{a}")],
    ],
)
def test_the_autopilots_codes_are_spelled_out(why, words):
    with translation.override("en"):
        assert reason_label(QueueChange(why=why)) == words


def test_what_operators_write_is_shown_unchanged(operator):
    assert reason_label(QueueChange(why=SLOW, by=operator)) == SLOW


def test_values_are_translated_and_messages_are_not(db):
    with translation.override("ko"):
        assert value_label(QueueChange(what="shuffle_lobby"), "True") == "예"
        assert value_label(QueueChange(what="notice"), "off") == "off"
