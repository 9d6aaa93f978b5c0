"""What the public sees of events, and how old a count may be."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.utils import translation

from tests.making import make_event, make_plan, seat_ids
from ticketing.core.errors import NotFound
from ticketing.events import selectors
from ticketing.events.models import Event, Seat


def test_drafts_are_nobodys_business(db, now):
    draft = make_event(now, state=Event.State.DRAFT)

    assert list(selectors.upcoming_events(search="", now=now)) == []
    with pytest.raises(NotFound):
        selectors.public_event(draft.pk)


def test_past_events_are_not_upcoming(db, now):
    long_ago = {"starts_at": now - timedelta(hours=4), "doors_at": now - timedelta(hours=5)}
    make_event(now, **long_ago)
    running = make_event(now, ends_at=now + timedelta(minutes=5), **long_ago)

    assert list(selectors.upcoming_events(search="", now=now)) == [running]


@pytest.mark.parametrize("search", ["luna", "루나", "hangang LUNA", "한강", "moonlight"])
def test_search_finds_title_venue_and_organiser_in_both_languages(db, now, search):
    event = make_event(now, title_ko="루나의 밤", title_en="Night of Luna")

    assert list(selectors.upcoming_events(search=search, now=now)) == [event]


def test_every_word_must_occur(db, now):
    make_event(now, title_ko="루나의 밤", title_en="Night of Luna")

    assert list(selectors.upcoming_events(search="luna nowhere", now=now)) == []


def test_the_lowest_price_is_shown_beside_the_event(event):
    assert selectors.public_event(event.pk).lowest_price == 132_000


def test_seats_left_are_counted_per_grade(event):
    event.seats.filter(pk=seat_ids(event)[0]).update(state=Seat.State.SOLD)

    left = {row.grade.code: (row.left, row.total) for row in selectors.grade_availability(event)}

    assert left == {"R": (7, 8), "S": (4, 4)}


def test_seats_left_are_counted_per_section(db, now):
    event = make_event(now, plan=make_plan(standing=5))

    left = [
        (row.section.code, row.left, row.total) for row in selectors.section_availability(event)
    ]

    assert left == [("A", 12, 12), ("F", 5, 5)]


def test_a_second_look_costs_no_counting(event, django_assert_num_queries):
    selectors.grade_availability(event)

    with django_assert_num_queries(1):  # the grades
        selectors.grade_availability(event)


def test_counts_are_fresh_again_when_their_second_is_over(event):
    selectors.grade_availability(event)
    event.seats.update(state=Seat.State.SOLD)
    cache.clear()

    assert {row.left for row in selectors.grade_availability(event)} == {0}


def test_an_event_speaks_the_readers_language(event):
    event.title_ko, event.title_en = "달", "Moon"

    with translation.override("en"):
        assert event.title == "Moon"
    with translation.override("ko"):
        assert event.title == "달"


def test_a_missing_translation_falls_back_to_the_other(event):
    event.title_ko, event.title_en = "달", ""

    with translation.override("en"):
        assert event.title == "달"
