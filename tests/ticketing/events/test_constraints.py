"""What the database itself refuses, whatever the code says."""

from datetime import timedelta

import pytest
from django.db import IntegrityError

from tests.making import make_event
from ticketing.events.models import Event, Grade, Place, SeatPlan, Section


@pytest.mark.parametrize(
    ("change", "constraint"),
    [
        ({"doors_at": timedelta(minutes=1)}, "doors_open_before_the_start"),
        ({"on_sale_at": timedelta(0)}, "on_sale_before_the_start"),
        ({"ends_at": timedelta(0)}, "ends_after_the_start"),
    ],
)
def test_times_of_an_event_make_sense(event, change, constraint):
    times = {field: event.starts_at + offset for field, offset in change.items()}

    with pytest.raises(IntegrityError, match=constraint):
        Event.objects.filter(pk=event.pk).update(**times)


def test_a_seat_is_in_a_known_state(event):
    with pytest.raises(IntegrityError, match="a_seat_is_in_a_known_state"):
        event.seats.update(state="lost")


def twice(thing):
    """The same row again, under a new key."""
    thing.pk = None
    thing._state.adding = True
    thing.save()


@pytest.mark.parametrize(
    ("find", "constraint"),
    [
        (Place.objects.first, "one_place_of_a_number_per_row"),
        (Section.objects.first, "one_section_of_a_code_per_plan"),
        (SeatPlan.objects.first, "one_plan_of_a_name_per_venue"),
        (Grade.objects.first, "one_grade_of_a_code_per_event"),
    ],
)
def test_labels_are_unambiguous(event, find, constraint):
    with pytest.raises(IntegrityError, match=constraint):
        twice(find())


def test_a_place_is_one_seat_per_event_and_may_be_another_events(event, now):
    make_event(now, plan=event.plan)

    with pytest.raises(IntegrityError, match="one_seat_per_place_and_event"):
        twice(event.seats.first())
