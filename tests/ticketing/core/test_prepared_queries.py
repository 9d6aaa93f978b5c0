"""Querysets that are compiled once return what the ORM returns."""

from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import Min

from tests.making import make_event
from ticketing.accounts.models import User
from ticketing.core.prepared_queries import PreparedQuery, ids_text, is_any_of
from ticketing.events.models import Event, Seat

pytestmark = pytest.mark.django_db
RELATED = ("plan__venue", "organiser", "rehearsal_of")
EVENT = PreparedQuery(
    lambda it: (
        Event.objects.select_related(*RELATED)
        .annotate(lowest_price=Min("grades__price"))
        .filter(pk=it("pk"), starts_at__gt=it("after"))
        .exclude(title_en__contains="100%")
    )
)
SEATS = PreparedQuery(lambda it: Seat.objects.filter(is_any_of("pk", it("seats"))).order_by("-pk"))


def test_it_returns_the_same_instances_with_their_related_ones(now, django_assert_num_queries):
    event = make_event(now)
    expected = Event.objects.select_related(*RELATED).get(pk=event.pk)

    with django_assert_num_queries(1):
        found = EVENT.first(pk=event.pk, after=now)
        assert found is not None
        shown = (found.plan.venue.name, found.organiser.name, found.rehearsal_of)

    assert {**vars(found), "_state": 0, "lowest_price": 0} == {
        **vars(expected),
        "_state": 0,
        "lowest_price": 0,
    }
    assert shown == (expected.plan.venue.name, expected.organiser.name, None)
    assert found.lowest_price == min(grade.price for grade in event.grades.all())
    assert not found._state.adding
    found.title_en = "Another"
    found.save(update_fields=["title_en"])
    assert Event.objects.get(pk=event.pk).title_en == "Another"


def test_each_run_has_its_own_values(now):
    first, second = make_event(now), make_event(now)

    assert [EVENT.first(pk=pk, after=now) for pk in (second.pk, first.pk)] == [second, first]
    assert EVENT.first(pk=0, after=now) is None
    assert EVENT.all(pk=first.pk, after=first.starts_at + timedelta(1)) == []


def test_a_literal_percent_sign_stays_one(now):
    event = make_event(now)
    Event.objects.update(title_en="100% live")

    assert EVENT.first(pk=event.pk, after=now) is None


def test_any_number_of_ids_is_one_statement(now):
    seats = sorted(make_event(now).seats.all(), key=lambda seat: -seat.pk)

    for count in range(3):
        assert SEATS.all(seats=ids_text(seat.pk for seat in seats[:count])) == seats[:count]
    with connection.cursor() as cursor:
        text = SEATS._compiled.text
        cursor.execute("SELECT from_sql FROM pg_prepared_statements WHERE statement = %s", [text])
        assert cursor.fetchall() == [(False,)]


def test_a_value_can_not_end_the_statement(fan):
    by_email = PreparedQuery(lambda it: User.objects.filter(email=it("email")))

    assert by_email.all(email="' OR true --") == []
    assert by_email.all(email=fan.email) == [fan]
