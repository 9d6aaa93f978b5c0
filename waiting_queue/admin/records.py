"""Read-only admin of a queue's records: changes, appeals, journal, draws."""

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from ticketing.core.admin.pages import ChangeRecordAdmin, ReadOnlyAdmin
from waiting_queue.models import BlockAppeal, QueueChange, QueueDraw, QueueJournal
from waiting_queue.selectors.labels import reason_label, subject_label, value_label

MAX_COUNTED = 10_000


@admin.register(QueueChange)
class QueueChangeAdmin(ChangeRecordAdmin):
    list_display = fields = ("at", "queue", "knob", "old_value", "new_value", "by", "reason")
    list_select_related = ("queue__event", "by")
    search_fields = (
        *("queue__event__title_ko", "queue__event__title_en", "by__email", "what", "why"),
    )

    @admin.display(description=_("what"), ordering="what")
    def knob(self, change: QueueChange) -> str:
        return subject_label(change)

    def value_label(self, change: QueueChange, value: str) -> str:
        return value_label(change, value)

    @admin.display(description=_("why"), ordering="why")
    def reason(self, change: QueueChange) -> str:
        return reason_label(change)


@admin.register(BlockAppeal)
class BlockAppealAdmin(ReadOnlyAdmin):
    """Appeals are answered on the console, next to the person's history."""

    list_display = ("at", "queue", "person", "words", "state", "answer", "answered_by")
    list_select_related = ("queue__event", "person", "answered_by")
    list_filter = ("state",)
    list_per_page = 50
    show_full_result_count = False
    search_fields = ("person__email", "words")


class CappedPaginator(Paginator):
    """Stops counting at MAX_COUNTED rows; older entries are found by searching."""

    @cached_property
    def count(self) -> int:
        return self.object_list[:MAX_COUNTED].count()  # type: ignore[attr-defined]


@admin.register(QueueJournal)
class QueueJournalAdmin(ReadOnlyAdmin):
    """May have millions of rows: never counted in full, searched by person or number."""

    list_display = ("at", "event", "person", "kind", "number")
    list_select_related = ("event",)
    list_filter = ("kind",)
    list_per_page = 100
    list_max_show_all = 100
    paginator = CappedPaginator
    show_full_result_count = False
    ordering = ("-id",)
    search_fields = ("person__exact", "number__exact")
    search_help_text = _("The number of a person or of a place in line.")


@admin.register(QueueDraw)
class QueueDrawAdmin(ReadOnlyAdmin):
    """Without the list of people, which the public draw page offers as a file."""

    list_display = ("queue", "at", "shuffled", "first_number", "finished_at")
    list_select_related = ("queue__event",)
    show_full_result_count = False
    fields = ("queue", "at", "shuffled", "seed_when_over", "first_number", "finished_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[QueueDraw]:
        return super().get_queryset(request).select_related("queue__event").defer("people")

    @admin.display(description=_("seed"))
    def seed_when_over(self, draw: QueueDraw) -> str:
        """Keep the seed secret from operators too until it is published."""
        return draw.seed if draw.finished_at else "–"
