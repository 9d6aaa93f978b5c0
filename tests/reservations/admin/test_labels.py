"""What became of reservations, places on lists and tickets, in the reader's words."""

import pytest
from django.utils import translation

from reservations.models import TicketChange
from reservations.selectors.labels import (
    reservation_state_label,
    standby_reason_label,
    standby_value_label,
    ticket_value_label,
)


@pytest.mark.parametrize("value", ["3", "3 seats"])
def test_how_many_seats_somebody_waits_for_is_counted(value):
    with translation.override("ko"):
        assert standby_value_label(value) == "좌석 3석"


def test_states_have_names():
    with translation.override("ko"):
        assert "held" not in reservation_state_label("held")
        assert "waiting" not in standby_value_label("waiting")
        assert "void" not in ticket_value_label(TicketChange(what="voided"), "void")


@pytest.mark.parametrize("why", ["sale_over", "the sale is over"])
def test_why_the_system_ended_a_wait_is_said(why):
    with translation.override("en"):
        assert standby_reason_label(why) == "the sale is over"


@pytest.mark.parametrize("text", ["", "some seats", "asked by phone"])
def test_what_is_not_ours_stays_as_it_is(text):
    renamed = TicketChange(what="renamed")
    said = [reservation_state_label(text), standby_value_label(text), standby_reason_label(text)]

    assert said == [text] * 3
    assert ticket_value_label(renamed, "void") == "void"
