"""Stored plans as drafts and drawings, which are cached by the plan's revision."""

from collections import defaultdict

from django.core.cache import cache
from django.utils.translation import get_language

from ticketing.events.models import Place, SeatPlan
from ticketing.events.plans.draft import PlaceDraft, PlanDraft, SectionDraft
from ticketing.events.plans.svg import plan_svg

CACHED_SECONDS = 24 * 3600
PLACE_FIELDS = ("row", "number", "grade", "x", "y", "accessible", "companion")


def stored_draft(plan: SeatPlan) -> PlanDraft:
    places: dict[int, list[PlaceDraft]] = defaultdict(list)
    rows = Place.objects.filter(section__plan=plan).order_by("id")
    for section_id, *values in rows.values_list("section_id", *PLACE_FIELDS):
        places[section_id].append(PlaceDraft(*values))
    return PlanDraft(
        [
            SectionDraft(
                code=section.code,
                name_ko=section.name_ko,
                name_en=section.name_en,
                kind=section.kind,
                places=places[section.pk],
                x=section.x,
                y=section.y,
                width=section.width,
                height=section.height,
            )
            for section in plan.sections.all()
        ]
    )


def stored_drawing(plan: SeatPlan, *, seats: bool = True) -> str:
    key = f"plan-picture:{plan.pk}:{plan.revision}:{int(seats)}:{get_language()}"
    picture: str | None = cache.get(key)
    if picture is None:
        picture = plan_svg(stored_draft(plan), seats=seats)
        cache.set(key, picture, CACHED_SECONDS)
    return picture
