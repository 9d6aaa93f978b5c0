import json

import pytest

from ticketing.events.plans import builder
from ticketing.events.plans.errors import BadPlanFile
from ticketing.events.plans.files import read_plan

PLAN = {
    "sections": [
        {
            "code": "A",
            "grade": "R",
            "seats": [{"row": 1, "number": 1}, {"row": "1", "number": "2"}],
        },
        {"code": "F", "kind": "standing", "capacity": 5, "grade": "F"},
    ]
}


def problems(text: str) -> list[tuple[int, str]]:
    with pytest.raises(BadPlanFile) as refusal:
        read_plan("plan.json", text.encode())
    return [(problem.line, problem.field) for problem in refusal.value.problems]


def test_sections_hold_their_seats():
    plan = read_plan("plan.json", json.dumps(PLAN).encode())

    assert [(s.code, len(s.places), s.places[0].grade) for s in plan.sections] == [
        ("A", 2, "R"),
        ("F", 5, "F"),
    ]


def test_problems_know_their_line_and_their_path():
    text = """{
  "sections": [
    {"code": "A", "seats": [
      {"row": "1", "number": 1, "grade": "R"},
      {"row": "1", "number": 1, "grade": "R"},
      {"row": "1", "number": 2.5, "grade": "R", "colour": "red"},
      {"row": "1", "number": 3, "grade": "R", "accessible": "perhaps"},
      7
    ]},
    {"code": "B", "seats": []},
    {"code": "A", "seats": [{"row": "9", "number": 9, "grade": "R"}]}
  ],
  "version": 3
}"""

    assert problems(text) == [
        (1, "version"),
        (3, "sections[0].seats[4]"),
        (5, "sections[0].seats[1].section"),
        (6, "sections[0].seats[2].colour"),
        (6, "sections[0].seats[2].number"),
        (7, "sections[0].seats[3].accessible"),
        (10, "sections[1].seats"),
        (11, "sections[2].code"),
    ]


def test_a_mistake_in_the_writing_has_its_line():
    assert problems('{"sections": [\n  {"code": "A"\n  "seats": []}\n]}') == [(3, "")]


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{}",
        '{"sections": {}}',
        '{"sections": [[]]}',
        "[" * 100_000,
        '{"sections": ' + "9" * 5000 + "}",
        '{"sections": [{"code": "\\ud800", "seats": [{"row": "1", "number": 1, "grade": "R"}]}]}',
        '{"sections": [{"code": "A", "kind": "standing", "grade": "R", "capacity": NaN}]}',
        '{"sections": [{"code": "A", "kind": "standing", "grade": "R", "capacity": 1e400}]}',
        '{"sections": [{"code": "A", "kind": "standing", "grade": "R", "capacity": true}]}',
        '{"sections": [{"code": ["A"], "seats": [{"row": "1", "number": 1, "grade": "R"}]}]}',
    ],
)
def test_strange_json_is_refused(text):
    assert problems(text)


def test_too_many_seats_are_refused(monkeypatch):
    monkeypatch.setattr(builder, "MAX_SEATS", 100)
    seats = [{"row": str(n // 90), "number": n % 90 + 1} for n in range(100 + 1)]

    assert (
        len(problems(json.dumps({"sections": [{"code": "A", "grade": "R", "seats": seats}]}))) == 1
    )
