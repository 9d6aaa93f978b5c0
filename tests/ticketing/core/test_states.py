"""State machines take only the steps they list."""

import pytest

from ticketing.core.errors import IllegalMove
from ticketing.events.models import Event, Seat


@pytest.mark.parametrize("machine", [Event, Seat])
def test_every_state_is_listed(machine):
    assert set(machine.MOVES) == set(machine.State)


def test_moves_are_offered_in_the_order_of_the_states():
    assert Event(state="on_sale").moves == ["paused", "sold_out", "closed", "cancelled"]


def test_an_illegal_move_names_both_ends_and_leaves_the_state():
    event = Event(state="cancelled")

    with pytest.raises(IllegalMove) as refusal:
        event.move_to(Event.State.ON_SALE)

    assert refusal.value.details == {
        "before": str(Event.State.CANCELLED.label),
        "after": str(Event.State.ON_SALE.label),
    }
    assert event.state == "cancelled"
