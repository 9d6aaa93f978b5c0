"""The facts for the judge are those of one moment, whatever is settled while they are read."""

import sys
from contextlib import nullcontext

import pytest

from tests.race import together
from ticketing.events.models import Seat
from ticketing.rehearsal import selectors

module = sys.modules["ticketing.rehearsal.selectors.facts"]  # its function has the same name
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def sold_meanwhile(sale, monkeypatch):
    """A seat is sold after the first rows have been read."""
    read_tickets = module._tickets

    def sell_first(event_id):
        seats = Seat.objects.filter(event=sale)
        together(1, lambda _: seats.filter(pk=seats.first().pk).update(state="sold"))
        return read_tickets(event_id)

    monkeypatch.setattr(module, "_tickets", sell_first)
    return sale


def test_what_is_sold_meanwhile_is_in_none_of_the_rows(sold_meanwhile):
    assert selectors.facts(sold_meanwhile.pk)["seats"]["sold"] == 0
    assert Seat.objects.filter(event=sold_meanwhile, state="sold").count() == 1


def test_control_without_the_snapshot_later_rows_know_more(sold_meanwhile, monkeypatch):
    monkeypatch.setattr(module, "one_snapshot", nullcontext)

    assert selectors.facts(sold_meanwhile.pk)["seats"]["sold"] == 1
