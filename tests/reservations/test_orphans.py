"""Which choices leave a single seat, and which of them could have been avoided."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reservations import errors
from reservations.selectors.orphans import RowSeat, orphans_in_row
from tests.making import make_event, make_plan, seat_ids
from tests.reservations.acting import hold
from ticketing.events.models import Event


def row(picture: str) -> list[RowSeat]:
    """`.` is free, `#` is taken, `|` is an aisle; seats are numbered from 0."""
    seats = picture.replace("|", "")
    xs = [20 * at for at, letter in enumerate(picture) if letter != "|"]
    return [
        RowSeat(number, letter != "#", (x, 0))
        for number, (letter, x) in enumerate(zip(seats, xs, strict=True))
    ]


@pytest.mark.parametrize(
    ("picture", "wanted", "alone"),
    [
        ("....", [0, 1], []),
        ("....", [1, 2], [0, 3]),
        ("....", [1], [0]),
        ("....", [0, 2], [1, 3]),
        ("...", [0, 1], []),  # one is left over in any case
        ("...", [1], [0, 2]),
        ("..", [0], []),
        ("#...#", [1], []),
        ("#...#", [2], [1, 3]),
        (".#..", [2], []),  # 0 was alone before
        ("..|..", [0, 1], []),
        ("...|...", [1, 2], []),
        ("....|..", [0, 1, 2], []),
        (".....", [0, 1, 3], [2, 4]),
        (".....", [2], []),
    ],
)
def test_a_choice_leaves_these_alone(picture, wanted, alone):
    assert orphans_in_row(row(picture), wanted) == alone


@given(st.text(".#|", min_size=1, max_size=20), st.data())
def test_there_is_always_a_choice_that_is_allowed(picture, data):
    """Nobody is kept from buying: to take everything, or nothing, leaves nobody alone."""
    seats = row(picture)
    free = [seat.id for seat in seats if seat.is_free]
    assert orphans_in_row(seats, []) == []
    assert orphans_in_row(seats, free) == []
    wanted = data.draw(st.sets(st.sampled_from(free))) if free else set()
    assert set(orphans_in_row(seats, wanted)) <= set(free) - wanted


@pytest.mark.django_db(transaction=True)
def test_an_event_may_refuse_such_choices(fan, now):
    event = make_event(now, plan=make_plan(rows=1, seats_per_row=5), no_orphans=True)
    one, two, three, *_ = seat_ids(event)

    with pytest.raises(errors.LeavesOrphan) as refused:
        hold(event, fan, now, two, three)

    assert refused.value.details == {"seats": [one]}
    assert hold(event, fan, now, one, two)


@pytest.mark.django_db(transaction=True)
def test_control_other_events_do_not_mind(event, fan, now):
    assert not Event.objects.get(pk=event.pk).no_orphans
    assert hold(event, fan, now, seat_ids(event)[1])
