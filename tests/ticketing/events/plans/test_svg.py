from xml.etree import ElementTree

from django.utils import translation

from ticketing.events.plans.draft import PlaceDraft, PlanDraft, SectionDraft
from ticketing.events.plans.generate import Block, generate
from ticketing.events.plans.svg import plan_svg

SVG = "{http://www.w3.org/2000/svg}"


def arena() -> PlanDraft:
    return generate(
        [
            Block(code=f"S{n}", grade="RSAB"[n // 5], rows=25, seats_per_row=40, column=n % 5 + 1)
            if n < 5
            else Block(
                code=f"S{n}",
                grade="RSAB"[n // 5],
                rows=25,
                seats_per_row=40,
                column=n % 5 + 1,
                grid_row=n // 5 + 1,
                curved=n % 2 == 0,
            )
            for n in range(20)
        ]
    )


def test_twenty_thousand_seats_are_a_light_picture():
    plan = arena()

    picture = plan_svg(plan)

    assert plan.seats == 20_000
    assert len(picture) < 400_000
    assert len(list(ElementTree.fromstring(picture).iter())) < 200


def test_every_seat_is_drawn_once_in_the_colour_of_its_grade():
    plan = generate([Block(code="A", grade="R", rows=3, seats_per_row=4)])

    paths = ElementTree.fromstring(plan_svg(plan)).findall(f"{SVG}path")

    assert [path.get("d").count("h0") for path in paths] == [12]


def test_steps_lead_from_seat_to_seat():
    places = [PlaceDraft("1", 1, "R", 10, 40), PlaceDraft("1", 2, "R", 30, 38)]
    plan = PlanDraft([SectionDraft("A", "A", "A", places=places, width=50, height=50)])

    assert 'd="m10 40h0m20 -2h0"' in plan_svg(plan)


def test_wheelchair_places_are_marked():
    plain = generate([Block(code="A", grade="R", rows=1, seats_per_row=4)])
    marked = generate([Block(code="A", grade="R", rows=1, seats_per_row=4, wheelchair_places=1)])

    assert plan_svg(marked).count("<path") == plan_svg(plain).count("<path") + 2


def test_standing_areas_say_their_name_and_room():
    floor = Block(
        code="F", grade="F", kind="standing", capacity=1200, name_ko="스탠딩", name_en="Pit"
    )
    with translation.override("en"):
        english = plan_svg(generate([floor]))
    with translation.override("ko"):
        korean = plan_svg(generate([floor]))

    assert ">Pit<" in english
    assert ">1,200<" in english
    assert ">스탠딩<" in korean


def test_a_small_picture_shows_sections_only():
    assert len(plan_svg(arena(), seats=False)) < 12_000


def test_words_can_not_break_out():
    evil = Block(code="<script>", grade='"><x/>', name_en="</svg>", rows=1, seats_per_row=1)

    picture = plan_svg(generate([evil]))

    assert "<script>" not in picture
    assert len(list(ElementTree.fromstring(picture).iter(f"{SVG}x"))) == 0


def test_the_picture_needs_no_inline_style():
    picture = plan_svg(arena())

    assert "style" not in picture
    assert "<script" not in picture


def test_an_empty_plan_is_a_picture_too():
    assert ElementTree.fromstring(plan_svg(PlanDraft())) is not None
