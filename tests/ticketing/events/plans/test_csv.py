import pytest
from django.utils import translation

from ticketing.events.plans import builder, csv_file
from ticketing.events.plans.draft import MAX_SEATS
from ticketing.events.plans.errors import MAX_PROBLEMS, BadPlanFile
from ticketing.events.plans.files import MAX_BYTES, read_plan

GOOD = "section,row,number,grade\nA,1,1,R\nA,1,2,R\nB,1,1,S\n"


def problems(content: str | bytes, name: str = "plan.csv") -> list[tuple[int, str, str]]:
    raw = content.encode() if isinstance(content, str) else content
    with pytest.raises(BadPlanFile) as refusal:
        read_plan(name, raw)
    return [(problem.line, problem.field, problem.message) for problem in refusal.value.problems]


def test_a_line_is_a_seat():
    plan = read_plan("plan.csv", GOOD.encode())

    assert [(s.code, len(s.places)) for s in plan.sections] == [("A", 2), ("B", 1)]
    assert plan.grades == ["R", "S"]


def test_positions_flags_and_names_are_kept():
    text = (
        "section,section_name_ko,section_name_en,row,number,grade,x,y,accessible,companion\n"
        "A,가 구역,Section A,1,1,R,5,40.4,yes,no\nA,,,1,2,R,25,40,0,Y\n"
    )
    section = read_plan("plan.csv", text.encode()).sections[0]

    assert (section.name_ko, section.name_en) == ("가 구역", "Section A")
    assert [(p.x, p.y, p.accessible, p.companion) for p in section.places] == [
        (5, 40, True, False),
        (25, 40, False, True),
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp949"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_spreadsheets_write_many_dialects(encoding, delimiter, newline):
    text = "section,section_name_ko,row,number,grade\nA,가 구역,1,1,R\n"
    content = text.replace(",", delimiter).replace("\n", newline).encode(encoding)

    assert read_plan("plan.csv", content).sections[0].name_ko == "가 구역"


def test_a_standing_section_is_one_line():
    text = "section,kind,capacity,row,number,grade\nF,standing,500,,,F\nA,,,1,1,R\n"
    floor, seated = read_plan("plan.csv", text.encode()).sections

    assert (floor.is_standing, len(floor.places), floor.places[-1].number) == (True, 500, 500)
    assert (seated.is_standing, len(seated.places)) == (False, 1)
    assert floor.width > 0


def test_rows_without_positions_are_laid_out_apart_from_each_other():
    text = "section,row,number,grade\n" + "".join(
        f"{section},{row},{number},R\n" for section in "ABC" for row in "12" for number in (1, 2, 3)
    )
    spots = [(p.x, p.y) for p in read_plan("plan.csv", text.encode()).places()]

    assert len(set(spots)) == len(spots) == 18


def test_every_problem_is_listed_with_its_line():
    text = (
        "section,row,number,grade,kind,capacity,accessible\n"
        "A,1,1,R,,,\n"
        "A,1,1,R,,,\n"
        "A,1,one,R,,,\n"
        ",1,3,R,,,\n"
        "A,1,4,,,,\n"
        "A,1,5,TOO-LONG-A-GRADE,,,\n"
        "A,1,6,R,sofa,,\n"
        "A,,,R,standing,5,\n"
        "F,,,R,standing,0,\n"
        "A,1,7,R,,,perhaps\n"
        "A,1,8,R,,,,more\n"
        "A,123456789,-1,R,,,\n"
    )
    found = problems(text)

    assert [(line, field) for line, field, _ in found] == [
        (3, "section"),
        (4, "number"),
        (5, "section"),
        (6, "grade"),
        (7, "grade"),
        (8, "kind"),
        (9, "kind"),
        (10, "capacity"),
        (11, "accessible"),
        (12, ""),
        (13, "row"),
        (13, "number"),
    ]
    assert "2" in found[0][2]


def test_a_seat_that_is_there_twice_names_the_first_line():
    with translation.override("en"):
        found = problems(GOOD + "A,1,2,R\n")

    assert found == [(5, "section", "“A”, row “1”, number 2 is on line 3 already")]


def test_two_seats_on_one_spot_are_a_problem():
    text = "section,row,number,grade,x,y\nA,1,1,R,0,0\nA,1,2,R,0,0\n"

    assert [(line, field) for line, field, _ in problems(text)] == [(3, "x")]


@pytest.mark.parametrize("half", ["A,1,2,R,20,", "A,1,2,R,,20", "A,1,2,R,,", "A,1,2,R,x,0"])
def test_positions_are_given_for_all_or_none(half):
    found = problems(f"section,row,number,grade,x,y\nA,1,1,R,0,0\n{half}\n")

    assert [line for line, _, _ in found] == [3]


def test_a_record_over_several_lines_is_found_where_it_begins():
    text = 'section,section_name_ko,row,number,grade\n"A","가\n\n구역",1,1,R\nB,,1,x,R\n'

    assert [line for line, field, _ in problems(text) if field == "number"] == [5]


@pytest.mark.parametrize(
    ("header", "field"),
    [
        ("section,row,number", "grade"),
        ("row,number,grade", "section"),
        ("section,number,grade", "row"),
        ("section,row,number,grade,colour", "colour"),
        ("section,row,row,number,grade", "row"),
    ],
)
def test_columns_are_checked_before_anything_else(header, field):
    assert [(line, name) for line, name, _ in problems(f"{header}\nA,1,1,R\n")] == [(1, field)]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b" \n\n",
        b"\xef\xbb\xbf",
        b"section,row,number,grade\n",
        b"\xff\xfes\x00e\x00",
        b"PK\x03\x04 a workbook",
        b"section,row,number,grade\nA,1,1,\xff\xff\xff",
        b'section,row,number,grade\nA,1,"1,R\n',
        b"section,row,number,grade\nA\x00,1,1,R\n",
        b"x" * (MAX_BYTES + 1),
    ],
)
def test_what_is_no_plan_is_said_in_one_problem(content):
    assert len(problems(content)) == 1


def test_too_many_seats_are_refused_and_reading_stops(monkeypatch):
    limit = 100
    monkeypatch.setattr(builder, "MAX_SEATS", limit)
    monkeypatch.setattr(csv_file, "MAX_SEATS", limit)
    rows = "".join(f"A,{n // 50},{n % 50 + 1},R\n" for n in range(limit + 2))

    found = problems("section,row,number,grade\n" + rows)

    assert [line for line, _, _ in found] == [limit + 2]


def test_standing_room_counts_as_seats_too():
    text = f"section,kind,capacity,grade\nA,standing,{MAX_SEATS},R\nB,standing,1,R\n"

    assert [line for line, _, _ in problems(text)] == [3]


def test_a_long_list_of_problems_is_cut_and_counted():
    found = problems("section,row,number,grade\n" + "A,1,x,R\n" * (MAX_PROBLEMS + 7))

    assert len(found) == MAX_PROBLEMS + 1
    assert "7" in found[-1][2]


def test_the_refusal_tells_programs_the_same():
    with pytest.raises(BadPlanFile) as refusal:
        read_plan("plan.csv", b"section,row,number,grade\nA,1,x,R\n")

    assert refusal.value.status == 400
    assert refusal.value.details["problems"][0] | {"words": ""} == {
        "line": 2,
        "field": "number",
        "words": "",
    }
    assert str(refusal.value)
