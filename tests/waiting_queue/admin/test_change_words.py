"""The history of a queue is kept as facts and read in one's own language."""

import pytest
from django.urls import reverse
from django.utils import translation

from waiting_queue import services
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
def test_what_the_autopilot_noted_is_said(why, words):
    with translation.override("en"):
        assert reason_label(QueueChange(why=why)) == words


def test_what_people_write_is_theirs(operator):
    assert reason_label(QueueChange(why=SLOW, by=operator)) == SLOW


def test_values_are_said_and_messages_are_not(db):
    with translation.override("ko"):
        assert value_label(QueueChange(what="shuffle_lobby"), "True") == "예"
        assert value_label(QueueChange(what="notice"), "off") == "off"


@pytest.mark.django_db(transaction=True)
def test_every_page_says_the_autopilots_reasons(desk, queue, now):
    knobs = {"admit_per_second": 3.0}
    services.set_knobs(event_id=queue.pk, knobs=knobs, by=None, why=SLOW, now=now)
    row = QueueChange.objects.get(why=SLOW)
    addresses = [
        reverse("admin:queue_queuechange_changelist"),
        reverse("admin:queue_queuechange_change", args=[row.pk]),
        reverse("admin:queue_salequeue_change", args=[queue.pk]),
    ]

    pages = [desk.get(it, headers={"accept-language": "ko"}).content.decode() for it in addresses]

    with translation.override("ko"):
        assert all(reason_label(row) in page for page in pages)
    assert not any("slow_pages" in page for page in pages)
