"""Events move through their states, each step noted."""

from datetime import timedelta

import pytest

from tests.making import make_event, make_plan
from ticketing.core.errors import IllegalMove, NotFound
from ticketing.events import services
from ticketing.events.errors import NoSeats
from ticketing.events.models import Event, EventChange
from waiting_queue.models import SaleQueue

State = Event.State


def test_a_move_is_made_and_noted(event, operator, now):
    services.move_event(
        event_id=event.pk, to=State.PAUSED, by=operator, reason="sound check", now=now
    )

    event.refresh_from_db()
    change = EventChange.objects.filter(event=event, what="state").get()
    assert event.state == State.PAUSED
    assert (change.by, change.before, change.after) == (operator, State.ON_SALE, State.PAUSED)
    assert (change.at, change.why) == (now, "sound check")


def test_an_illegal_move_is_refused_and_changes_nothing(event, operator, now):
    with pytest.raises(IllegalMove):
        services.move_event(event_id=event.pk, to=State.DRAFT, by=operator, now=now)

    event.refresh_from_db()
    assert event.state == State.ON_SALE
    assert not EventChange.objects.filter(event=event, what="state").exists()


def test_an_unknown_event_is_not_found(db, operator, now):
    with pytest.raises(NotFound):
        services.move_event(event_id=404, to=State.PAUSED, by=operator, now=now)


@pytest.mark.parametrize(
    ("state", "to"), [(State.DRAFT, State.ANNOUNCED), (State.ANNOUNCED, State.ON_SALE)]
)
def test_an_event_without_seats_is_neither_announced_nor_sold(db, operator, now, state, to):
    event = make_event(now, seats=False, state=state)

    with pytest.raises(NoSeats):
        services.move_event(event_id=event.pk, to=to, by=operator, now=now)


def test_the_clock_opens_a_sale_with_a_line_or_the_word_that_there_is_none(db, operator, now):
    due = {"state": State.ANNOUNCED, "on_sale_at": now, "without_line": False}
    lined, unlined = make_event(now, **due), make_event(now, **due)
    SaleQueue.objects.create(event=lined, opens_at=now)

    assert services.open_due_sales(now=now) == [lined]

    services.sell_without_line(event_id=unlined.pk, by=operator, now=now)
    assert services.open_due_sales(now=now) == [unlined]
    change = EventChange.objects.get(event=unlined, what="edited")
    assert (change.after, change.by) == ("without_line", operator)


@pytest.mark.parametrize("state", State)
def test_every_state_has_its_moves_and_none_leads_to_itself(state):
    assert state not in Event.MOVES[state]


def test_announced_events_open_when_their_time_has_come(db, now):
    due = make_event(now, state=State.ANNOUNCED, on_sale_at=now)
    later = make_event(now, state=State.ANNOUNCED, on_sale_at=now + timedelta(seconds=1))

    opened = services.open_due_sales(now=now)

    later.refresh_from_db()
    assert opened == [due]
    assert later.state == State.ANNOUNCED
    assert EventChange.objects.get(event=due, what="state").by is None


def test_a_due_event_without_seats_waits_for_them(db, now):
    make_event(now, seats=False, state=State.ANNOUNCED, on_sale_at=now)

    assert services.open_due_sales(now=now) == []


def test_opening_again_opens_nothing(db, now):
    make_event(now, state=State.ANNOUNCED, on_sale_at=now)
    services.open_due_sales(now=now)

    assert services.open_due_sales(now=now) == []


def test_a_draft_is_not_opened_by_the_clock(db, now):
    make_event(now, state=State.DRAFT, plan=make_plan(), on_sale_at=now)

    assert services.open_due_sales(now=now) == []
