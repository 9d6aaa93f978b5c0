"""A queue with its knobs, what they mean together, and the line as it is now."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from ticketing.core import clock
from ticketing.core.admin.counted_list import CountedList
from ticketing.core.admin.pages import SEOUL, operator
from waiting_queue import advice, services
from waiting_queue.admin.forms import QueueForm
from waiting_queue.admin.pages import QueuePages
from waiting_queue.admin.words import NOTHING, badge, changes_table
from waiting_queue.models import SaleQueue
from waiting_queue.services.operating import KNOBS

RECENT_CHANGES = 10
WHEN = ("lobby_opens_at", "opens_at")
HOW_MANY = ("max_inside", "admit_per_second", "capacity", "stock_factor")
HOW_LONG = ("claim_seconds", "pass_seconds", "pass_max_seconds", "absence_seconds")
FAIRNESS = ("shuffle_lobby", "queues_per_person")


@admin.register(SaleQueue)
class SaleQueueAdmin(QueuePages):
    form = QueueForm
    actions = None
    list_display = ("event", "status", "opens_at", "waiting", "inside", "rate")
    list_filter = ("state",)
    list_per_page = 50
    search_fields = ("event__title_ko", "event__title_en")
    ordering = ("-opens_at", "-pk")
    autocomplete_fields = ("event",)
    readonly_fields = ("status", "recent_changes")

    class Media:
        css = {"all": ["css/admin-queue.css"]}

    # -- what may be done -------------------------------------------------------------------------

    def get_fieldsets(self, request: HttpRequest, obj: SaleQueue | None = None) -> Any:
        """The history comes with a queue that there is; who may only look is not asked why."""
        may_write = self.has_change_permission(request, obj)
        top = ("event", "status") if obj else ("event",)
        bottom = (*(("why",) if may_write else ()), *(("recent_changes",) if obj else ()))
        return (
            (None, {"fields": top}),
            (_("When"), {"fields": WHEN, "description": SEOUL}),
            (_("How many"), {"fields": HOW_MANY, "description": HOW_MANY_WORDS}),
            (_("How long"), {"fields": HOW_LONG, "description": HOW_LONG_WORDS}),
            (_("Fairness"), {"fields": FAIRNESS, "description": FAIRNESS_WORDS}),
            (_("Recent changes"), {"fields": bottom}),
        )

    def get_readonly_fields(
        self, request: HttpRequest, obj: SaleQueue | None = None
    ) -> tuple[str, ...]:
        """What can't be changed in this state is shown, not asked."""
        if obj is None:
            return self.readonly_fields
        fixed = [name for name in KNOBS if name not in services.changeable_knobs(obj.state)]
        return (*self.readonly_fields, "event", *fixed)

    def has_delete_permission(self, request: HttpRequest, obj: SaleQueue | None = None) -> bool:
        """A queue is closed, and its history stays."""
        return False

    # -- reading ----------------------------------------------------------------------------------

    def get_queryset(self, request: HttpRequest) -> QuerySet[SaleQueue]:
        return super().get_queryset(request).select_related("event")

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[CountedList]:
        return CountedList

    def counts_of(self, keys: list[int]) -> dict[int, services.Overview]:
        return services.overviews([SaleQueue(pk=key) for key in keys], now=clock.now())

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
            seen = services.overview(stored, now=clock.now())
            warnings = services.warnings_of(stored, seen)
            context |= {"seen": seen, "warnings": warnings, "queue": stored}
            context |= {"outlook": advice.outlook(advice.Flow.of(stored))}
        return super().render_change_form(request, context, *args, **kwargs)

    # -- writing ----------------------------------------------------------------------------------

    def save_model(
        self, request: HttpRequest, obj: SaleQueue, form: ModelForm, change: bool
    ) -> None:
        """Only what was changed, through the service; then what the new knobs mean together."""
        knobs = form.changed_knobs  # type: ignore[attr-defined]
        signed = {"by": operator(request), "why": form.cleaned_data["why"], "now": clock.now()}
        if change:
            saved = services.set_knobs(event_id=obj.pk, knobs=knobs, **signed)
        else:
            saved = services.create_queue(event_id=obj.event_id, **signed, **knobs)
        for words in advice.warnings(advice.Flow.of(saved)):
            self.message_user(request, words, messages.WARNING)

    # -- columns and fields -----------------------------------------------------------------------

    @admin.display(description=_("status"), ordering="state")
    def status(self, queue: SaleQueue) -> str:
        return badge(queue.state)

    @admin.display(description=_("waiting"))
    def waiting(self, queue: SaleQueue) -> str:
        seen = _seen(queue)
        return f"{seen.waiting + seen.lobby:,}" if seen.known else NOTHING

    @admin.display(description=_("inside"))
    def inside(self, queue: SaleQueue) -> str:
        seen = _seen(queue)
        return f"{seen.inside:,} / {seen.cap:,}" if seen.known else NOTHING

    @admin.display(description=_("admissions per second"))
    def rate(self, queue: SaleQueue) -> str:
        seen = _seen(queue)
        measured = advice.short(seen.rate) if seen.known else NOTHING
        return f"{measured} / {advice.short(queue.admit_per_second)}"

    @admin.display(description=_("latest first"))
    def recent_changes(self, queue: SaleQueue) -> str:
        return changes_table(queue.changes.select_related("by")[:RECENT_CHANGES])


HOW_MANY_WORDS = _(
    "People inside = admissions per second × time inside. So the smaller one of rate and places "
    "decides how fast the line moves. A change works at the next tick, within a second."
)
HOW_LONG_WORDS = _("All in seconds. Shorter times call the next ones sooner.")
FAIRNESS_WORDS = _("What people were told when they came stays as it is once the lobby is open.")


def _seen(queue: SaleQueue) -> services.Overview:
    return queue.counts  # type: ignore[attr-defined]
