"""The event page: details, prices, seats, images and history."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.forms import BaseModelFormSet, Field, ModelForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from ticketing.core import clock
from ticketing.core.admin.counted_list import CountedList
from ticketing.core.admin.pages import SEOUL, operator
from ticketing.events.admin.event_pages import DANGEROUS, EventPages
from ticketing.events.admin.forms.events import EventForm, GradeForm, GradeFormSet
from ticketing.events.admin.images import (
    badge,
    plan_image,
    poster_image,
    rehearsal_badge,
)
from ticketing.events.locks import event_for_update
from ticketing.events.models import Event, Grade, Seat
from ticketing.events.plans.svg import PALETTE
from ticketing.events.selectors import event_seat_counts, plan_grades
from ticketing.events.services.changes import record_change

RECENT_CHANGES = 10
EMPTY = "–"
SELLING = ("seats_per_person", "hold_seconds", "payment_seconds", "no_orphans", "without_line")
PEOPLE = ("identity_level", "minimum_age")
PEOPLE_HELP = _(
    "Asked when people join the line, hold seats, pay or go on standby; a change works within a "
    "second, also for people who wait."
)
RETURNS = ("returns", "returns_at", "returns_minutes", "offer_seconds")
RETURNS_HELP = _("What happens to seats that come back once the sale was sold out.")
TICKETS = ("rename_hours", "transfer_hours", "mails_tickets", "entry_numbers")
WORDS = (
    *("description_ko", "description_en", "cast_ko", "cast_en"),
    *("notices_ko", "notices_en", "running_minutes", "admission_age"),
)
SELLING_HELP = _("A change works for the seats that are chosen from then on.")


class GradeInline(admin.TabularInline):
    model = Grade
    form = GradeForm
    formset = GradeFormSet

    def get_extra(self, request: HttpRequest, obj: Event | None = None, **kwargs: Any) -> int:
        return len(planned_grades(request, obj))

    def has_delete_permission(self, request: HttpRequest, obj: Event | None = None) -> bool:
        """A grade cannot be deleted while seats refer to it."""
        allowed = super().has_delete_permission(request, obj)
        return allowed and (obj is None or not has_seats(obj))


@admin.register(Event)
class EventAdmin(EventPages):
    form = EventForm
    inlines = (GradeInline,)
    actions = None
    # No more than fits beside the filter on a screen of 1440 pixels.
    list_display = ("shown_title", "status", "starts_at", "on_sale_at", "seats_left", "venue")
    list_filter = ("state", ("plan__venue", admin.RelatedOnlyFieldListFilter))
    list_per_page = 50
    date_hierarchy = "starts_at"
    search_fields = (
        *("title_ko", "title_en", "plan__venue__name_ko", "plan__venue__name_en"),
        *("organiser__name_ko", "organiser__name_en"),
    )
    ordering = ("-starts_at", "-id")
    autocomplete_fields = ("organiser", "plan")
    readonly_fields = ("status", "seats", "poster_preview", "plan_preview", "recent_changes")
    fieldsets = (
        (None, {"fields": ("status", "seats", "title_ko", "title_en", "organiser")}),
        (
            _("When"),
            {"fields": ("on_sale_at", "doors_at", "starts_at", "ends_at"), "description": SEOUL},
        ),
        (_("Where and for how much"), {"fields": ("plan", "plan_preview", "currency")}),
        (_("How it is sold"), {"fields": SELLING, "description": SELLING_HELP}),
        (_("Who may buy"), {"fields": PEOPLE, "description": PEOPLE_HELP}),
        (_("Seats that come back"), {"fields": RETURNS, "description": RETURNS_HELP}),
        (_("Tickets"), {"fields": TICKETS}),
        (_("Words"), {"fields": WORDS}),
        (_("Poster"), {"fields": ("poster", "poster_preview")}),
        (_("Recent changes"), {"fields": ("recent_changes",)}),
    )

    # -- permissions ------------------------------------------------------------------------------

    def get_readonly_fields(
        self, request: HttpRequest, obj: Event | None = None
    ) -> tuple[str, ...]:
        """Once seats exist, the plan they came from and their currency are fixed."""
        fixed = ("plan", "currency") if obj is not None and has_seats(obj) else ()
        return (*self.readonly_fields, *fixed)

    def has_delete_permission(self, request: HttpRequest, obj: Event | None = None) -> bool:
        """Only a draft without seats can be deleted; any other event is cancelled instead."""
        allowed = super().has_delete_permission(request, obj)
        return allowed and (obj is None or (obj.state == Event.State.DRAFT and not has_seats(obj)))

    def formfield_for_dbfield(self, db_field: Any, request: Any, **kwargs: Any) -> Field | None:
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field is not None and db_field.name == "plan":
            field.widget.can_add_related = False
            field.widget.can_change_related = False
        return field

    # -- reading ----------------------------------------------------------------------------------

    def get_queryset(self, request: HttpRequest) -> QuerySet[Event]:
        return super().get_queryset(request).select_related("plan__venue", "organiser")

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[CountedList]:
        return CountedList

    def counts_of(self, keys: list[int]) -> dict[int, dict[str, int]]:
        return event_seat_counts(keys)

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> Event | None:
        """Lock the row while the form is saved, so that no concurrent state change is lost."""
        event = super().get_object(request, object_id, from_field)
        if event is not None and request.method == "POST":
            event_for_update(event.pk)
            event.refresh_from_db()
        return event

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        event = context.get("original")
        context |= {"dangerous": DANGEROUS, "has_seats": event is not None and has_seats(event)}
        return super().render_change_form(request, context, *args, **kwargs)

    def get_formset_kwargs(
        self, request: HttpRequest, obj: Event, inline: Any, prefix: str
    ) -> dict[str, Any]:
        """Offer the grades of the plan to an event that has no prices yet."""
        kwargs = super().get_formset_kwargs(request, obj, inline, prefix)
        grades = planned_grades(request, obj if obj.pk else None)
        return kwargs | ({"initial": [grade_row(*each) for each in enumerate(grades)]})

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return super().changelist_view(request, {"seoul": SEOUL} | (extra_context or {}))

    # -- writing ----------------------------------------------------------------------------------

    def save_model(self, request: HttpRequest, obj: Event, form: ModelForm, change: bool) -> None:
        """Save only the changed fields, and record them."""
        if not change:
            obj.save()
        elif form.changed_data:
            obj.save(update_fields=form.changed_data)
        if form.changed_data:
            self._record(
                request, obj, "edited" if change else "created", ", ".join(form.changed_data)
            )

    def save_formset(
        self, request: HttpRequest, form: ModelForm, formset: BaseModelFormSet, change: bool
    ) -> None:
        super().save_formset(request, form, formset, change)
        for grade, fields in formset.changed_objects:
            values = ", ".join(f"{field}={getattr(grade, field)}" for field in fields)
            self._record(request, form.instance, f"grade {grade.code}", values)
        for grade in formset.new_objects:
            self._record(request, form.instance, f"grade {grade.code}", f"price={grade.price}")
        for grade in formset.deleted_objects:
            self._record(request, form.instance, f"grade {grade.code}", "deleted")

    def _record(self, request: HttpRequest, event: Event, what: str, after: str) -> None:
        record_change(
            event_id=event.pk, what=what, after=after, by=operator(request), now=clock.now()
        )

    def response_post_save_add(self, request: HttpRequest, obj: Event) -> HttpResponseRedirect:
        return redirect("setup:checklist", obj.pk)

    # -- columns and fields -----------------------------------------------------------------------

    @admin.display(description=_("title"), ordering="title_ko")
    def shown_title(self, event: Event) -> str:
        return event.title

    @admin.display(description=_("venue"), ordering="plan__venue__name_ko")
    def venue(self, event: Event) -> str:
        return event.plan.venue.name

    @admin.display(description=_("status"), ordering="state")
    def status(self, event: Event) -> str:
        return rehearsal_badge(event) + badge(event.state)

    @admin.display(description=_("seats left"))
    def seats_left(self, event: Event) -> str:
        counts = event.counts  # type: ignore[attr-defined]
        return f"{counts['available']:,} / {counts['total']:,}" if counts else EMPTY

    @admin.display(description=_("seats"))
    def seats(self, event: Event) -> str:
        counts = event_seat_counts([event.pk]).get(event.pk)
        if counts is None:
            return EMPTY
        parts = [f"{state.label} {counts[state.value]:,}" for state in Seat.State]
        return f"{counts['total']:,} ({', '.join(parts)})"

    @admin.display(description=_("preview"))
    def poster_preview(self, event: Event) -> str:
        return poster_image(event)

    @admin.display(description=_("preview"))
    def plan_preview(self, event: Event) -> str:
        return plan_image(event.plan, small=False) if event.plan_id else EMPTY

    @admin.display(description=_("latest first"))
    def recent_changes(self, event: Event) -> SafeString | str:
        changes = event.changes.select_related("by")[:RECENT_CHANGES] if event.pk else []
        rows = (
            (
                str(change),
                change.by or _("the system"),
                change.what_label,
                change.value_label(change.before),
                change.value_label(change.after),
                change.why,
            )
            for change in changes
        )
        cells = "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>→ {}</td><td>{}</td></tr>"
        table = format_html_join("", cells, rows)
        return format_html("<table>{}</table>", table) if table else EMPTY


def planned_grades(request: HttpRequest, event: Event | None) -> list[str]:
    """The grades of the plan, of an event without prices or of the plan named in the address."""
    if event is not None:
        return [] if event.grades.exists() else plan_grades(event.plan_id)
    plan = request.GET.get("plan", "")
    return plan_grades(int(plan)) if plan.isdecimal() and len(plan) < 19 else []


def grade_row(number: int, code: str) -> dict[str, Any]:
    colour = PALETTE[number % len(PALETTE)]
    names = {"name_ko": f"{code}석", "name_en": code}
    return {"code": code, **names, "colour": colour, "order": number}


def has_seats(event: Event) -> bool:
    """Queried once per page and kept on the object."""
    if event.pk is None:
        return False
    if not hasattr(event, "_has_seats"):
        event._has_seats = event.seats.exists()  # type: ignore[attr-defined]
    return event._has_seats  # type: ignore[attr-defined]
