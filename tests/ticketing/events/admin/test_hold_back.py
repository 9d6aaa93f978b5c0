import pytest
from django.urls import reverse

from ticketing.events.models import EventChange, Seat


@pytest.fixture
def page(event):
    return reverse("admin:ticketing_event_hold_back", args=[event.pk])


def asked(event, **fields):
    section = event.plan.sections.get(code="A")
    return {"action": "hold_back", "section": section.pk, "reason": "camera"} | fields


def held_back(event) -> set[tuple[str, int]]:
    seats = Seat.objects.filter(event=event, state="blocked").select_related("place")
    return {(seat.place.row, seat.place.number) for seat in seats}


def test_rows_and_numbers_name_the_seats(operator_client, event, page, operator):
    operator_client.post(
        page, asked(event, first_row="1", last_row="2", first_number="2", last_number="3")
    )

    change = EventChange.objects.filter(event=event).first()
    assert held_back(event) == {("1", 2), ("1", 3), ("2", 2), ("2", 3)}
    assert (change.by, change.why) == (operator, "camera")


def test_one_row_alone_is_enough_and_a_range_may_be_turned_round(operator_client, event, page):
    operator_client.post(page, asked(event, last_row="3"))
    assert {row for row, _ in held_back(event)} == {"3"}

    operator_client.post(page, asked(event, first_row="2", last_row="1"))
    assert {row for row, _ in held_back(event)} == {"1", "2", "3"}


def test_without_rows_the_whole_section_is_meant_and_sold_seats_stay(operator_client, event, page):
    Seat.objects.filter(pk=event.seats.first().pk).update(state="sold")

    operator_client.post(page, asked(event))

    assert len(held_back(event)) == 11
    assert event.seats.filter(state="sold").count() == 1


def test_seats_are_put_on_sale_again(operator_client, event, page):
    operator_client.post(page, asked(event))

    operator_client.post(page, asked(event, action="release", first_row="1"))

    assert {row for row, _ in held_back(event)} == {"2", "3"}


@pytest.mark.parametrize(
    "fields",
    [
        {"first_row": "99"},
        {"reason": ""},
        {"section": "0"},
        {"first_number": "0"},
        {"first_number": "500"},
        {"action": "release"},
        {"action": "burn"},
    ],
)
def test_what_makes_no_sense_changes_nothing(fields, operator_client, event, page):
    response = operator_client.post(page, asked(event, **fields))

    assert response.context["form"].errors
    assert held_back(event) == set()


def test_looking_changes_nothing(operator_client, event, page):
    assert operator_client.get(page, asked(event)).status_code == 200
    assert held_back(event) == set()
