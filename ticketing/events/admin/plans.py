"""Seat plans: imported or generated, and edited until an event uses them."""

from typing import Any

from django.contrib import admin
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from ticketing.core.admin.counted_list import CountedList
from ticketing.core.admin.labels import LabelledFormSet
from ticketing.events.admin.forms.sections import SectionForm
from ticketing.events.admin.images import plan_image
from ticketing.events.admin.plan_pages import PlanPages
from ticketing.events.models import SeatPlan, Section
from ticketing.events.selectors import plan_seat_counts


class SectionInline(admin.TabularInline):
    """Only the picture can be changed."""

    model = Section
    form = SectionForm
    formset = LabelledFormSet
    readonly_fields = ("code", "name_ko", "name_en", "kind", "places", "box")
    fields = (*readonly_fields, "view")
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return bool(request.user.has_perm("ticketing.change_seatplan"))

    def has_view_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return bool(request.user.has_perm("ticketing.view_seatplan"))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Section]:
        return super().get_queryset(request).annotate(count=Count("places"))

    @admin.display(description=_("seats"))
    def places(self, section: Section) -> str:
        return f"{section.count:,}"  # type: ignore[attr-defined]

    @admin.display(description=_("place in the drawing"))
    def box(self, section: Section) -> str:
        return f"{section.x}, {section.y}; {section.width} × {section.height}"


@admin.register(SeatPlan)
class SeatPlanAdmin(PlanPages):
    """The form changes names and pictures; the drawing has an editor, until an event uses it."""

    list_display = ("name", "venue", "seats", "sections", "picture", "created_at")
    list_select_related = ("venue",)
    list_filter = (("venue", admin.RelatedOnlyFieldListFilter),)
    list_per_page = 25
    search_fields = ("name", "venue__name_ko", "venue__name_en")
    fields = ("name", "venue", "created_at", "large_picture")
    readonly_fields = ("venue", "created_at", "large_picture")
    inlines = (SectionInline,)
    actions = None

    def get_queryset(self, request: HttpRequest) -> QuerySet[SeatPlan]:
        return super().get_queryset(request).select_related("venue")

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[CountedList]:
        return CountedList

    def counts_of(self, keys: list[int]) -> dict[int, dict[str, int]]:
        return plan_seat_counts(keys)

    @admin.display(description=_("seats"))
    def seats(self, plan: SeatPlan) -> str:
        return f"{plan.counts['seats']:,}" if plan.counts else "0"  # type: ignore[attr-defined]

    @admin.display(description=_("sections"))
    def sections(self, plan: SeatPlan) -> int:
        return plan.counts["sections"] if plan.counts else 0  # type: ignore[attr-defined]

    @admin.display(description=_("picture"))
    def picture(self, plan: SeatPlan) -> str:
        return plan_image(plan, small=True)

    @admin.display(description=_("picture"))
    def large_picture(self, plan: SeatPlan) -> str:
        return plan_image(plan, small=False)
