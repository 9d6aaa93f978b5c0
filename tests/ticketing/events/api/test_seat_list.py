"""The seat list says what the database says, in few bytes."""

import json
import random
from datetime import datetime

import pytest
from django.db.models import F, IntegerField
from django.db.models.functions import Cast, Floor, Random
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from tests.making import make_event, make_plan, seat_ids
from tests.ticketing.events.api import decoding
from ticketing.events.api.calls import accepts_gzip
from ticketing.events.models import Event, Place, Seat
from ticketing.events.seat_list.body import steps
from ticketing.events.seat_list.cached import compressed_body

pytestmark = pytest.mark.django_db


def in_random_states(event: Event, chance: random.Random) -> None:
    ids = seat_ids(event)
    chance.shuffle(ids)
    for at, state in enumerate(Seat.State.values):
        Seat.objects.filter(pk__in=ids[at::4]).update(state=state)


def in_random_places(chance: random.Random, **plan_fields: int):
    plan = make_plan(**plan_fields)
    places = list(Place.objects.filter(section__plan=plan))
    for place in places:
        place.x, place.y = chance.randint(-500, 500), chance.randint(0, 900)
        place.accessible, place.companion = chance.random() < 0.1, chance.random() < 0.1
        if place.section.kind == "seated":
            place.grade = chance.choice("RSA")
    Place.objects.bulk_update(places, ["x", "y", "accessible", "companion", "grade"])
    return plan


@given(st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=60))
def test_numbers_survive_being_written_as_steps(values: list[int]) -> None:
    assert decoding.numbers(steps(values)) == values


@given(st.integers(0, 10**6), st.integers(-30, 30), st.integers(4, 10**4))
def test_a_regular_row_is_written_in_two_entries(first: int, step: int, count: int) -> None:
    row = [first + step * at for at in range(count)]

    assert steps(row) == [first, [step, count - 1]]
    assert decoding.numbers(steps(row)) == row


@pytest.mark.parametrize("seed", range(4))
def test_a_decoded_list_equals_the_database(now: datetime, seed: int) -> None:
    chance = random.Random(seed)
    event = make_event(now, plan=in_random_places(chance, rows=9, seats_per_row=11, standing=40))
    in_random_states(event, chance)

    body = decoding.unpacked(compressed_body(event.pk))

    assert decoding.seats(body) == decoding.seats_in_the_database(event)
    floor = Seat.objects.filter(event=event, section__kind="standing")
    assert decoding.standing(body) == {("F", "F"): (floor.filter(state="available").count(), 40)}


def test_an_event_without_seats_has_an_empty_list(now: datetime, client: Client) -> None:
    event = make_event(now, seats=False)

    body = client.get(f"/api/v1/events/{event.pk}/seats/").json()

    assert (body["sections"], body["states"]) == ([], "")


def test_twenty_thousand_seats_fit_in_sixty_kilobytes(now: datetime) -> None:
    event = make_event(now, plan=make_plan(rows=200, seats_per_row=100))
    in_random_states(event, random.Random(1))

    body = compressed_body(event.pk)

    assert len(decoding.seats(decoding.unpacked(body))) == 20_000
    assert len(body) <= 60_000


def test_twenty_thousand_seats_in_crooked_rows_fit_too(now: datetime) -> None:
    plan = make_plan(rows=200, seats_per_row=100)
    a_little = Cast(Floor(Random() * 3), IntegerField()) - 1
    Place.objects.filter(section__in=plan.sections.all()).update(
        x=F("x") + a_little, y=F("y") + a_little
    )
    event = make_event(now, plan=plan)
    in_random_states(event, random.Random(2))

    assert len(compressed_body(event.pk)) <= 60_000


@pytest.mark.parametrize(
    ("header", "accepted"),
    [
        *[("gzip", True), ("br, GZIP;q=0.5", True), ("gzip;q=1.0", True), ("gzip; q=0", False)],
        *[("gzip;q=0.000", False), ("", False), ("identity", False), ("br, deflate", False)],
    ],
)
def test_whether_a_client_takes_gzip(header: str, accepted: bool) -> None:
    assert accepts_gzip(header) is accepted


def test_a_client_that_takes_gzip_gets_the_stored_bytes(event: Event, client: Client) -> None:
    url = f"/api/v1/events/{event.pk}/seats/"

    packed = client.get(url, headers={"accept-encoding": "br, gzip;q=0.8"})
    plain = client.get(url, headers={"accept-encoding": "identity"})

    assert packed["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in plain
    assert decoding.unpacked(packed.content) == json.loads(plain.content)
    for answer in (packed, plain):
        assert answer["Content-Type"] == "application/json"
        assert "Accept-Encoding" in answer["Vary"]
