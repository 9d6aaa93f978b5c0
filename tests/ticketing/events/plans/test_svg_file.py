"""SVG drawings become plans; whatever else an SVG may be is refused or left out."""

import pytest

from ticketing.events.plans.files import inspect_plan

DRAWING = """<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 200">
  <defs><g id="X"><circle cx="1" cy="1" data-row="9" data-number="9" data-grade="R"/></g></defs>
  <text x="1" y="1">Stage</text>
  <g id="A" data-grade="R" data-name-ko="가 구역" data-name-en="Section A"
     transform="translate(100, 5)">
    <g data-row="1">
      <circle cx="0" cy="0" r="3" data-number="1"/>
      <circle cx="10" cy="0" r="3" data-number="2" data-grade="S" data-accessible="yes"/>
    </g>
    <rect x="-3" y="7" width="6" height="6"><title>2-1</title></rect>
    <rect x="7" y="7" width="6" height="6"><title>2-2</title></rect>
  </g>
  <rect data-section="FLOOR" data-kind="standing" data-capacity="50" data-grade="F"
        x="0" y="50" width="60" height="30"/>
</svg>
"""


def read(drawing: str, name: str = "plan.svg"):
    return inspect_plan(name, drawing.encode())


def wrapped(inside: str) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg"><g id="A" data-grade="R">{inside}</g></svg>'


def test_groups_are_sections_and_shapes_are_seats_at_our_scale():
    found = read(DRAWING)

    assert found.problems == []
    seats, floor = found.draft.sections
    assert (seats.code, seats.name_ko, seats.name_en) == ("A", "가 구역", "Section A")
    assert [(p.row, p.number, p.grade, p.accessible) for p in seats.places] == [
        ("1", 1, "R", False),
        ("1", 2, "S", True),
        ("2", 1, "R", False),
        ("2", 2, "R", False),
    ]
    xs, ys = {p.x for p in seats.places}, {p.y for p in seats.places}
    assert xs == {200, 220}
    assert max(ys) - min(ys) == 20
    assert (floor.code, len(floor.places), floor.width, floor.height) == ("FLOOR", 50, 120, 60)


def test_a_drawing_is_known_by_its_first_letter():
    assert read(DRAWING, "drawing.txt").problems == []


@pytest.mark.parametrize(
    ("transform", "x", "y"),
    [
        ("translate(3)", 13, 0),
        ("scale(2)", 20, 0),
        ("rotate(90)", 0, 10),
        ("rotate(180, 5, 0)", 0, 0),
        ("matrix(1 0 0 1 4 6)", 14, 6),
        ("translate(1,1) scale(2, 3)", 21, 1),
    ],
)
def test_transforms_move_seats(transform, x, y):
    still = '<circle cx="500" cy="0" data-row="1" data-number="1"/>'
    moved = f'<circle transform="{transform}" cx="10" cy="0" data-row="2" data-number="1"/>'
    third = '<circle cx="520" cy="0" data-row="1" data-number="2"/>'

    first, _, other = read(wrapped(still + third + moved)).draft.sections[0].places

    assert (other.x - first.x, other.y - first.y) == (x - 500, y)


PAIR = "".join(f'<circle cx="{n}" cy="0" data-row="1" data-number="{n}"/>' for n in (1, 2))


@pytest.mark.parametrize(
    "drawing",
    [
        '<!DOCTYPE svg [<!ENTITY a "aaaa">]><svg>&a;</svg>',
        '<!DOCTYPE svg SYSTEM "file:///etc/passwd"><svg/>',
        "<svg>&nothing;</svg>",
        "<html><g id='A'/></html>",
        "<svg><g></svg>",
        "<svg/>",
        wrapped('<circle cx="ten" cy="0" data-row="1" data-number="1"/>'),
        wrapped('<circle cx="1e99" cy="0" data-row="1" data-number="1"/>'),
        wrapped('<circle transform="skewX(10)" cx="1" cy="0" data-row="1" data-number="1"/>'),
        wrapped(f'<g transform="{20 * "scale(1e8)"}">{PAIR}</g>'),
        wrapped(f'<g transform="{60 * "scale(1e8)"}">{PAIR}</g>'),
        wrapped(20 * '<g transform="scale(1e8)">' + PAIR + 20 * "</g>"),
        wrapped('<circle cx="1" cy="0"/>'),
        wrapped(2 * '<circle cx="1" cy="0" data-row="1" data-number="1"/>'),
        "<svg>" + 200 * "<g>" + 200 * "</g>" + "</svg>",
    ],
)
def test_what_is_no_plan_is_refused(drawing):
    found = read(drawing)

    assert found.problems
    assert found.draft.seats == 0


def test_a_problem_names_its_line():
    found = read(wrapped('\n<circle cx="1" cy="0" data-row="1" data-number="x"/>'))

    assert [(problem.line, problem.field) for problem in found.problems] == [(2, "number")]
