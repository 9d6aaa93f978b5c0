"""A duplicate has the texts, prices and rules of its event, at other times; nothing of its sale."""

from datetime import timedelta

import pytest

from payments.models import RefundPolicy
from tests.making import make_event, make_user, seat_ids
from tests.reservations.acting import hold
from ticketing.core.errors import NotFound
from ticketing.event_setup.services import duplicate_event
from ticketing.events.models import Event, EventChange, Organiser
from waiting_queue.models import Lane, LaneKey, SaleQueue

pytestmark = pytest.mark.django_db
TITLES = {"title_ko": "앙코르", "title_en": "Encore"}
LATER = timedelta(days=7)


@pytest.fixture
def source(now) -> Event:
    event = make_event(now, seats_per_person=2, description_en="One night only.")
    RefundPolicy.objects.create(event=event, free_days=3)
    queue = SaleQueue.objects.create(
        event=event, opens_at=now, lobby_opens_at=now - timedelta(hours=1), max_inside=77
    )
    lane = Lane.objects.create(
        queue=queue, number=1, name_ko="팬클럽", name_en="Fan club", opens_at=now
    )
    lane.grades.set(event.grades.filter(code="R"))
    lane.sections.set(event.plan.sections.all())
    LaneKey.objects.create(lane=lane, digest="x")
    return event


def duplicate(event, now, by=None):
    starts = event.starts_at + LATER
    return duplicate_event(event_id=event.pk, titles=TITLES, starts_at=starts, by=by, now=now)


def test_texts_plan_prices_and_policies_are_copied_and_times_are_moved(source, now, operator):
    copy = duplicate(source, now, operator)

    copy.refresh_from_db()
    assert (copy.state, copy.title_en, copy.plan) == ("draft", "Encore", source.plan)
    assert (copy.seats_per_person, copy.description_en) == (2, "One night only.")
    for name in ("on_sale_at", "doors_at", "starts_at"):
        assert getattr(copy, name) == getattr(source, name) + LATER
    prices = [list(event.grades.values_list("code", "price")) for event in (source, copy)]
    assert prices[0] == prices[1] != []
    assert copy.refund_policy.free_days == 3
    change = EventChange.objects.get(event=copy, what="duplicated")
    assert (change.before, change.by) == (f"#{source.pk}", operator)


def test_the_line_is_copied_with_its_lanes_and_without_their_keys(source, now):
    copy = duplicate(source, now)

    queue, lane = copy.queue, copy.queue.lanes.get()
    assert (queue.state, queue.max_inside, queue.epoch) == ("scheduled", 77, "")
    assert (queue.opens_at, queue.lobby_opens_at) == (now + LATER, now + LATER - timedelta(hours=1))
    assert (lane.name_en, lane.opens_at) == ("Fan club", now + LATER)
    assert list(lane.grades.all()) == list(copy.grades.filter(code="R"))
    assert lane.sections.count() == 1
    assert lane.keys.count() == 0


def test_nothing_of_the_sale_is_copied(now):
    event = make_event(now)
    hold(event, make_user(), now, *seat_ids(event)[:1])

    copy = duplicate(event, now)

    assert copy.seats.count() == copy.reservations.count() == 0
    assert not SaleQueue.objects.filter(event=copy).exists()


def test_every_field_is_copied_or_named(source, now):
    """A field that a later release adds to events is copied unless it is named here."""
    copy = duplicate(source, now)
    times = {"on_sale_at", "doors_at", "starts_at", "ends_at", "returns_at"}
    own = {"id", "state", "created_at", "rehearsal_of", "title_ko", "title_en"} | times

    differing = {
        field.name
        for field in Event._meta.concrete_fields
        if getattr(copy, field.attname) != getattr(source, field.attname)
    }

    assert differing <= own


def test_a_rehearsal_is_not_duplicated(source, now):
    organiser = Organiser.objects.first()
    copy = make_event(now, pk=2 * 10**14, rehearsal_of=source, organiser=organiser)

    with pytest.raises(NotFound):
        duplicate(copy, now)
