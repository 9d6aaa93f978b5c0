"""Which choices leave an orphan, and that best seats leave none."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reservations import errors, locks
from reservations.locks import SeatChoice
from reservations.locks import holds as hold_locks
from reservations.models import new_code
from reservations.selectors.orphans import RowSeat, orphans_in_row
from tests.making import make_event, make_plan, seat_ids
from tests.reservations.acting import hold
from tests.reservations.functions import changed_function
from tests.soak import SOAK
from ticketing.events.models import Event, Place, Seat


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


# -- the rule in `choose_best.sql` ----------------------------------------------------------------

# `R` and `S` are free seats of these grades, `r` and `s` taken ones, `|` is an aisle.
pictures = st.lists(st.text("RRRSrs|", min_size=1, max_size=10), min_size=1, max_size=3)
densities = st.sampled_from([20, 12])  # seats that stand closer are still side by side


def make_rows(now, rows: list[str], *, apart: int = 20, **fields) -> tuple[Event, list[list[int]]]:
    """An event with these rows, and the seat ids of each row."""
    plan = make_plan(rows=1, seats_per_row=1)
    section = plan.sections.get()
    section.places.all().delete()
    plan.sections.update(width=max(apart * (max(map(len, rows)) - 1), 1))
    Place.objects.bulk_create(
        Place(
            section=section,
            grade=letter.upper(),
            row=str(number),
            number=at + 1,
            x=place_x(picture, at, apart),
            y=20 * number,
        )
        for number, picture in enumerate(rows)
        for at, letter in enumerate(picture)
        if letter != "|"
    )
    event = make_event(now, plan=plan, seats_per_person=100, **fields)
    seats = Seat.objects.filter(event=event).order_by("place__y", "place__x")
    ids: list[list[int]] = [[] for _ in rows]
    for pk, number in seats.values_list("pk", "place__row"):
        ids[int(number)].append(pk)
    taken = [
        pk
        for picture, row_ids in zip(rows, ids, strict=True)
        for pk, letter in zip(row_ids, picture.replace("|", ""), strict=True)
        if letter.islower()
    ]
    Seat.objects.filter(pk__in=taken).update(state="sold")
    return event, ids


def place_x(picture: str, at: int, apart: int) -> int:
    """An aisle is as wide as two seats in any plan."""
    aisles = picture[:at].count("|")
    return apart * (at - aisles) + 40 * aisles


def row_of(picture: str, apart: int) -> list[RowSeat]:
    at_seats = [at for at, letter in enumerate(picture) if letter != "|"]
    return [
        RowSeat(number, picture[at].isupper(), (place_x(picture, at, apart), 0))
        for number, at in enumerate(at_seats)
    ]


def choices_of_grade(picture: str, quantity: int) -> list[list[int]]:
    """Every choice of so many free seats of grade R side by side."""
    seats, found, number = picture.replace("|", ""), [], 0
    for part in picture.split("|"):
        for at in range(number, number + len(part) - quantity + 1):
            if seats[at : at + quantity] == "R" * quantity:
                found.append(list(range(at, at + quantity)))
        number += len(part)
    return found


def best_of_rows(event: Event, fan, now, quantity: int, ids) -> list[list[int]] | None:
    """What best seats gives of each row; None if there were none."""
    choice = SeatChoice.best(grade="R", quantity=quantity)
    result = locks.hold_seats(
        event_id=event.pk, fan_id=fan.pk, choice=choice, code=new_code(), key="", now=now
    )
    if result.status != "held":
        assert result.status == "missing"
        return None
    held = {seat["id"] for seat in result.seats}
    assert len(held) == quantity
    return [[at for at, pk in enumerate(row_ids) if pk in held] for row_ids in ids]


@pytest.mark.django_db
@settings(
    max_examples=60 * SOAK,
    deadline=None,
    derandomize=SOAK == 1,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(rows=pictures, quantity=st.integers(1, 4), apart=densities, near=st.sampled_from([1, 4, 60]))
def test_best_seats_break_the_rule_for_named_seats_only_if_every_choice_does(
    now, fan, rows, quantity, apart, near
):
    if not "".join(rows).replace("|", ""):
        return
    event, ids = make_rows(now, rows, apart=apart, no_orphans=True)
    possible = [
        (number, wanted)
        for number, picture in enumerate(rows)
        for wanted in choices_of_grade(picture, quantity)
    ]
    allowed = [
        wish for wish in possible if not orphans_in_row(row_of(rows[wish[0]], apart), wish[1])
    ]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hold_locks, "NEAR", near)
        given = best_of_rows(event, fan, now, quantity, ids)

    if not possible:
        assert given is None
        return
    assert given is not None
    (chosen,) = [(number, wanted) for number, wanted in enumerate(given) if wanted]
    assert chosen in possible
    if allowed:
        assert chosen in allowed


@pytest.mark.django_db
def test_control_without_the_preference_best_seats_leave_orphans(now, fan):
    event, ids = make_rows(now, ["RRRRR"], no_orphans=False)

    assert best_of_rows(event, fan, now, 3, ids) == [[1, 2, 3]]
    assert orphans_in_row(row_of("RRRRR", 20), [1, 2, 3]) == [0, 4]


@pytest.mark.django_db
def test_best_seats_leave_no_orphan_of_another_grade(now, fan):
    event, ids = make_rows(now, ["RRS"], no_orphans=True)

    assert best_of_rows(event, fan, now, 1, ids) == [[0]]


@pytest.mark.django_db
def test_control_if_other_grades_are_not_looked_at_they_leave_one(now, fan):
    event, ids = make_rows(now, ["RRS"], no_orphans=True)

    with changed_function("choose_best", ("LEFT JOIN near ON", "JOIN near ON")):
        assert best_of_rows(event, fan, now, 1, ids) == [[1]]
