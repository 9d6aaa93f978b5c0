"""The admin of a queue: its knobs, their warnings, and the counts of its line."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from ticketing.core import clock
from ticketing.core.admin.counted_list import CountedList
from ticketing.core.admin.pages import SEOUL, operator
from waiting_queue import selectors, services
from waiting_queue.admin.forms import QueueForm
from waiting_queue.admin.pages import QueuePages
from waiting_queue.models import KNOBS, SaleQueue
from waiting_queue.selectors import flow
from waiting_queue.selectors.flow import Flow
from waiting_queue.selectors.labels import NO_VALUE, changes_table, move_label, status_badge

RECENT_CHANGES = 10
WHEN = ("lobby_opens_at", "opens_at")
HOW_MANY = ("max_inside", "admit_per_second", "capacity", "stock_factor")
HOW_LONG = ("claim_seconds", "pass_seconds", "pass_max_seconds", "absence_seconds")
FAIRNESS = ("mode", "queues_per_person", "companions", "moves_groups")


@admin.register(SaleQueue)
class SaleQueueAdmin(QueuePages):
    form = QueueForm
    actions = None
    list_display = ("event", "status", "mode", "opens_at", "waiting", "inside", "rate")
    list_filter = ("state", "mode")
    list_per_page = 50
    search_fields = ("event__title_ko", "event__title_en")
    ordering = ("-opens_at", "-pk")
    autocomplete_fields = ("event",)
    readonly_fields = ("status", "recent_changes")

    class Media:
        css = {"all": ["css/admin-queue.css"]}

    # -- fields and permissions -------------------------------------------------------------------

    def get_fieldsets(self, request: HttpRequest, obj: SaleQueue | None = None) -> Any:
        """Add the history to existing queues, and the reason for those who may change them."""
        may_write = self.has_change_permission(request, obj)
        top = ("event", "status") if obj else ("event",)
        bottom = (*(("why",) if may_write else ()), *(("recent_changes",) if obj else ()))
        return (
            (None, {"fields": top}),
            (_("When"), {"fields": WHEN, "description": SEOUL}),
            (_("How many"), {"fields": HOW_MANY, "description": HOW_MANY_HELP}),
            (_("How long"), {"fields": HOW_LONG, "description": HOW_LONG_HELP}),
            (_("Fairness"), {"fields": FAIRNESS, "description": FAIRNESS_HELP}),
            (_("Recent changes"), {"fields": bottom}),
        )

    def get_readonly_fields(
        self, request: HttpRequest, obj: SaleQueue | None = None
    ) -> tuple[str, ...]:
        """Show knobs read-only that can't be changed in this state."""
        if obj is None:
            return self.readonly_fields
        fixed = [name for name in KNOBS if name not in services.changeable_knobs(obj.state)]
        return (*self.readonly_fields, "event", *fixed)

    def has_delete_permission(self, request: HttpRequest, obj: SaleQueue | None = None) -> bool:
        """Queues are closed, not deleted, so that their history stays."""
        return False

    # -- reading ----------------------------------------------------------------------------------

    def get_queryset(self, request: HttpRequest) -> QuerySet[SaleQueue]:
        return super().get_queryset(request).select_related("event")

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[CountedList]:
        return CountedList

    def counts_of(self, keys: list[int]) -> dict[int, selectors.Overview]:
        return selectors.overviews([SaleQueue(pk=key) for key in keys], now=clock.now())

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return super().changelist_view(request, {"seoul": SEOUL} | (extra_context or {}))

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        queue = context.get("original")
        if queue is not None:
            stored = SaleQueue.objects.get(pk=queue.pk) if request.method == "POST" else queue
            overview = selectors.overview(stored, now=clock.now())
            context |= {
                "queue": stored,
                "moves": [(to, move_label(stored, to)) for to in selectors.sale_moves(stored)],
                "overview": overview,
                "warnings": selectors.queue_warnings(stored, overview),
                "forecast": flow.full_line_forecast(Flow.of(stored)),
            }
        return super().render_change_form(request, context, *args, **kwargs)

    # -- writing ----------------------------------------------------------------------------------

    def save_model(
        self, request: HttpRequest, obj: SaleQueue, form: ModelForm, change: bool
    ) -> None:
        """Pass changed knobs to the service, then warn about knobs that don't fit each other."""
        knobs = form.changed_knobs  # type: ignore[attr-defined]
        audit = {"by": operator(request), "why": form.cleaned_data["why"], "now": clock.now()}
        if change:
            saved = services.set_knobs(event_id=obj.pk, knobs=knobs, **audit)
        else:
            saved = services.create_queue(event_id=obj.event_id, **audit, **knobs)
        for warning in flow.knob_warnings(Flow.of(saved)):
            self.message_user(request, warning, messages.WARNING)

    # -- columns and fields -----------------------------------------------------------------------

    @admin.display(description=_("status"), ordering="state")
    def status(self, queue: SaleQueue) -> str:
        return status_badge(queue)

    @admin.display(description=_("waiting"))
    def waiting(self, queue: SaleQueue) -> str:
        overview = _overview_of(queue)
        return f"{overview.waiting + overview.lobby:,}" if overview.known else NO_VALUE

    @admin.display(description=_("inside"))
    def inside(self, queue: SaleQueue) -> str:
        overview = _overview_of(queue)
        return f"{overview.inside:,} / {overview.cap:,}" if overview.known else NO_VALUE

    @admin.display(description=_("admissions per second"))
    def rate(self, queue: SaleQueue) -> str:
        overview = _overview_of(queue)
        measured = flow.format_decimal(overview.rate) if overview.known else NO_VALUE
        return f"{measured} / {flow.format_decimal(queue.admit_per_second)}"

    @admin.display(description=_("latest first"))
    def recent_changes(self, queue: SaleQueue) -> str:
        return changes_table(queue.changes.select_related("by")[:RECENT_CHANGES])


HOW_MANY_HELP = _(
    "People inside = admissions per second × time inside. So the smaller one of rate and places "
    "decides how fast the line moves. A change works at the next tick, within a second."
)
HOW_LONG_HELP = _("All in seconds. Shorter times call the next ones sooner.")
FAIRNESS_HELP = _("What people were told when they came stays as it is once the lobby is open.")


def _overview_of(queue: SaleQueue) -> selectors.Overview:
    """Return what `CountedList` attached to the row."""
    return queue.counts  # type: ignore[attr-defined]
