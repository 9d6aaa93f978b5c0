from itertools import pairwise
from math import dist

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ticketing.events.plans.draft import STANDING, PlanDraft
from ticketing.events.plans.errors import BadBlocks
from ticketing.events.plans.generate import LETTERS, Block, generate, row_label


def spots(plan: PlanDraft) -> list[tuple[int, int]]:
    return [(p.x, p.y) for section in plan.sections for p in section.places if p.row]


def block(**fields) -> Block:
    return Block(**{"code": "A", "grade": "R", "rows": 3, "seats_per_row": 4} | fields)


def test_rows_and_seats_are_counted_and_numbered_from_the_left():
    section = generate([block()]).sections[0]

    first_row = [place for place in section.places if place.row == "1"]
    assert len(section.places) == 12
    assert [place.number for place in first_row] == [1, 2, 3, 4]
    assert [p.x for p in first_row] == sorted({p.x for p in first_row})


def test_a_fan_grows_and_an_aisle_leaves_a_gap():
    places = generate([block(growth=2, aisles_after=(2,))]).sections[0].places

    widths = [sum(place.row == row for place in places) for row in ("1", "2", "3")]
    first = [place.x for place in places if place.row == "1"]
    assert widths == [4, 6, 8]
    assert [b - a for a, b in pairwise(first)] == [20, 40, 20]


def test_curved_rows_bend_around_the_stage():
    row = [p for p in generate([block(seats_per_row=9, curved=True)]).places() if p.row == "1"]

    assert row[0].y < row[4].y > row[8].y
    assert row[0].y == row[8].y


def test_everything_is_behind_the_stage_and_inside_its_box():
    plan = generate([block(curved=True), block(code="B", column=2, growth=3)])

    for section in plan.sections:
        assert section.y >= 0
        for place in section.places:
            assert section.x < place.x < section.x + section.width
            assert section.y < place.y < section.y + section.height


def test_wheelchair_places_have_a_companion_beside_them():
    last = [p for p in generate([block(wheelchair_places=2)]).places() if p.row == "3"]

    assert [(p.accessible, p.companion) for p in last] == [(True, False), (False, True)] * 2


def test_a_standing_block_is_a_box_of_people():
    section = generate([Block(code="F", grade="F", kind=STANDING, capacity=300)]).sections[0]

    assert (len(section.places), section.places[0].row) == (300, "")
    assert section.width > section.height > 0


def test_rows_can_be_letters():
    assert [row_label(n, LETTERS) for n in (0, 25, 26, 51, 52)] == ["A", "Z", "AA", "AZ", "BA"]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            *(st.integers(1, 12), st.integers(1, 30), st.integers(0, 3), st.booleans()),
            st.lists(st.integers(1, 30), max_size=2),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_no_two_seats_touch(shapes):
    blocks = [
        block(
            code=str(n),
            column=n % 2 + 1,
            grid_row=n // 2 + 1,
            rows=rows,
            seats_per_row=seats,
            growth=growth,
            curved=curved,
            aisles_after=tuple(aisles),
        )
        for n, (rows, seats, growth, curved, aisles) in enumerate(shapes)
    ]

    found = sorted(spots(generate(blocks)))

    near = ((a, b) for i, a in enumerate(found) for b in found[i + 1 :] if b[0] - a[0] < 16)
    assert all(dist(a, b) >= 16 for a, b in near)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"rows": 0}, "rows"),
        ({"rows": 501}, "rows"),
        ({"seats_per_row": 0}, "seats_per_row"),
        ({"code": ""}, "code"),
        ({"code": "x" * 17}, "code"),
        ({"grade": ""}, "grade"),
        ({"growth": -2}, "growth"),
        ({"wheelchair_places": 3}, "wheelchair_places"),
        ({"kind": "sofa"}, "kind"),
        ({"kind": STANDING}, "capacity"),
        ({"column": 0}, "column"),
    ],
)
def test_a_block_that_makes_no_sense_is_refused(fields, field):
    with pytest.raises(BadBlocks) as refusal:
        generate([block(code="first", column=9), block(**fields)])

    assert [(p.line, p.field) for p in refusal.value.problems] == [(2, field)]


@pytest.mark.parametrize(
    "blocks",
    [
        [],
        [block(), block(column=2)],
        [block(), block(code="B")],
        [block(code=str(n), column=n + 1, rows=500, seats_per_row=500) for n in range(3)],
    ],
)
def test_blocks_must_fit_together(blocks):
    with pytest.raises(BadBlocks) as refusal:
        generate(blocks)

    assert len(refusal.value.problems) == 1
