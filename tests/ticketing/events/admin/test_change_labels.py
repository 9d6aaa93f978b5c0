"""The history of an event is kept as facts and read in one's own language, old rows too."""

import pytest
from django.urls import reverse
from django.utils import translation

from tests.making import make_event, seat_ids
from ticketing.events import services
from ticketing.events.models import EventChange


def change(what, before="", after=""):
    return EventChange(what=what, before=before, after=after)


@pytest.mark.parametrize("what", ["seats 26", "26 seats"])
def test_seats_are_counted_in_the_readers_words(what):
    with translation.override("ko"):
        assert change(what).what_label == "좌석 26석"
    with translation.override("en"):
        assert change(what).what_label == "26 seats"
        assert change("seats 1").what_label == "1 seat"


@pytest.mark.parametrize(
    ("what", "value", "words"),
    [
        ("state", "on_sale", "status: on sale"),
        ("seats", "120", "seats: 120"),
        ("edited", "title_ko, on_sale_at", "edited: title in Korean, on sale from"),
        (
            "grade R",
            "price=1000, name_en=A=b, c",
            "price grade R: price: 1000, name in English: A=b, c",
        ),
        ("grade R", "deleted", "price grade R: deleted"),
        ("rehearsal", "stopped", "Rehearsal: stopped"),
        ("rehearsal", "K7QF2M9XTP", "Rehearsal: K7QF2M9XTP"),
    ],
)
def test_facts_are_said(what, value, words):
    with translation.override("en"):
        assert f"{change(what).what_label}: {change(what).value_label(value)}" == words


@pytest.mark.parametrize("text", ["many seats", "seats x", "grade ", "gradeR", "moved", "", "a, b"])
def test_what_can_not_be_read_is_shown_as_it_is(text):
    assert (change(text).what_label, change(text).value_label(text)) == (text, text)
    assert change("grade R").value_label(f"odd={text}") == f"odd: {text}"
    assert change("edited").value_label("title_k") == "title_k"


def test_the_pages_of_an_event_and_its_history_say_it_in_korean(operator_client, operator, now):
    event = make_event(now)
    seats = seat_ids(event)[:3]
    services.block_seats(event_id=event.pk, seat_ids=seats, by=operator, reason="x", now=now)
    kept = EventChange.objects.get(event=event, why="x")
    pages = [
        reverse("admin:ticketing_eventchange_changelist"),
        reverse("admin:ticketing_eventchange_change", args=[kept.pk]),
        reverse("admin:ticketing_event_change", args=[event.pk]),
    ]

    read = [
        operator_client.get(page, headers={"accept-language": "ko"}).content.decode()
        for page in pages
    ]

    assert kept.what == "seats 3"
    assert all("좌석 3석" in page for page in read)
    assert not any("seats 3" in page or "3 seats" in page for page in read)
