from dataclasses import replace

import pytest
from django.db import IntegrityError

from tests.making import make_event, make_plan
from ticketing.core.errors import NotFound
from ticketing.events.models import Place, SeatPlan, Section, Venue
from ticketing.events.plans.draft import PlaceDraft, PlanDraft, SectionDraft
from ticketing.events.plans.errors import BadBlocks, BadPlanFile, PlanInUse, PlanNameTaken
from ticketing.events.plans.generate import Block, generate
from ticketing.events.plans.json_file import write_json
from ticketing.events.plans.stored import stored_draft, stored_drawing
from ticketing.events.services.plans import (
    delete_plan,
    edit_plan,
    generate_plan,
    import_plan,
    store_plan,
)

pytestmark = pytest.mark.django_db
CSV = b"section,row,number,grade\nA,1,1,R\nA,1,2,R\n"
BLOCK = Block(code="A", grade="R", rows=3, seats_per_row=4, wheelchair_places=1)


@pytest.fixture
def venue():
    return Venue.objects.create(name_ko="한강 아레나", name_en="Hangang Arena")


def stored() -> tuple[int, int, int]:
    return SeatPlan.objects.count(), Section.objects.count(), Place.objects.count()


def test_an_imported_plan_is_stored_whole(venue, operator):
    plan = import_plan(
        venue_id=venue.pk, name="main", filename="plan.csv", content=CSV, by=operator
    )

    assert (plan.venue, plan.name) == (venue, "main")
    assert stored() == (1, 1, 2)


def test_a_bad_file_stores_nothing(venue, operator):
    with pytest.raises(BadPlanFile):
        import_plan(
            venue_id=venue.pk,
            name="main",
            by=operator,
            filename="plan.csv",
            content=CSV + b"A,1,2,R\n",
        )

    assert stored() == (0, 0, 0)


def test_bad_blocks_store_nothing(venue):
    with pytest.raises(BadBlocks):
        generate_plan(venue_id=venue.pk, name="main", blocks=[BLOCK, BLOCK], by=None)

    assert stored() == (0, 0, 0)


def test_a_failure_halfway_leaves_nothing(venue):
    twins = [PlaceDraft("1", 1, "R"), PlaceDraft("1", 1, "R")]
    draft = PlanDraft([SectionDraft("A", "A", "A", places=twins)])

    with pytest.raises(IntegrityError):
        store_plan(venue_id=venue.pk, name="main", draft=draft)

    assert stored() == (0, 0, 0)


def test_a_stored_plan_reads_back_as_it_was(venue):
    floor = Block(code="F", grade="F", kind="standing", capacity=7, grid_row=2, name_en="Floor")
    draft = generate([BLOCK, floor])

    plan = store_plan(venue_id=venue.pk, name="main", draft=draft)

    assert stored_draft(plan) == draft


def test_an_edited_plan_keeps_the_pictures_of_its_sections(venue):
    blocks = [BLOCK, replace(BLOCK, code="B", grid_row=2)]
    plan = generate_plan(venue_id=venue.pk, name="main", blocks=blocks, by=None)
    plan.sections.filter(code="A").update(view="views/a.webp")
    content = write_json(stored_draft(plan)).encode()

    edit_plan(plan_id=plan.pk, revision=0, content=content, by=None)

    pictures = dict(plan.sections.exclude(view="").values_list("code", "view"))
    assert pictures == {"A": "views/a.webp"}


def test_a_name_is_taken_once_per_venue(venue):
    generate_plan(venue_id=venue.pk, name="main", blocks=[BLOCK], by=None)

    with pytest.raises(PlanNameTaken):
        generate_plan(venue_id=venue.pk, name="main", blocks=[BLOCK], by=None)

    assert stored() == (1, 1, 12)


def test_a_plan_needs_its_venue():
    with pytest.raises(NotFound):
        generate_plan(venue_id=0, name="main", blocks=[BLOCK], by=None)


def test_twenty_thousand_seats_take_few_queries(venue, django_assert_max_num_queries):
    blocks = [
        Block(code=str(n), grade="R", rows=25, seats_per_row=40, column=n + 1) for n in range(20)
    ]

    with django_assert_max_num_queries(16):
        generate_plan(venue_id=venue.pk, name="arena", blocks=blocks, by=None)

    assert stored() == (1, 20, 20_000)


def test_a_picture_is_drawn_once(venue, django_assert_num_queries):
    plan = generate_plan(venue_id=venue.pk, name="main", blocks=[BLOCK], by=None)
    first = stored_drawing(plan)

    with django_assert_num_queries(0):
        assert stored_drawing(plan) == first


def test_only_an_unused_plan_is_deleted(now):
    used, unused = make_event(now).plan, make_plan()

    delete_plan(plan_id=unused.pk, by=None)
    with pytest.raises(PlanInUse):
        delete_plan(plan_id=used.pk, by=None)

    assert list(SeatPlan.objects.all()) == [used]
