"""What happened in queues: read by operators, edited by nobody, never loaded whole."""

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from ticketing.core.admin.pages import ChangeRecordAdmin, ReadOnlyAdmin
from waiting_queue.admin.words import value_words, what_words, why_words
from waiting_queue.models import BlockAppeal, QueueChange, QueueDraw, QueueJournal

LATEST = 10_000


@admin.register(QueueChange)
class QueueChangeAdmin(ChangeRecordAdmin):
    list_display = fields = ("at", "queue", "knob", "old_value", "new_value", "by", "reason")
    list_select_related = ("queue__event", "by")
    search_fields = (
        *("queue__event__title_ko", "queue__event__title_en", "by__email", "what", "why"),
    )

    @admin.display(description=_("what"), ordering="what")
    def knob(self, change: QueueChange) -> str:
        return what_words(change)

    def value_label(self, change: QueueChange, value: str) -> str:
        return value_words(change, value)

    @admin.display(description=_("why"), ordering="why")
    def reason(self, change: QueueChange) -> str:
        return why_words(change)


@admin.register(BlockAppeal)
class BlockAppealAdmin(ReadOnlyAdmin):
    """Answered on the console, where the person's story is."""

    list_display = ("at", "queue", "person", "words", "state", "answer", "answered_by")
    list_select_related = ("queue__event", "person", "answered_by")
    list_filter = ("state",)
    list_per_page = 50
    show_full_result_count = False
    search_fields = ("person__email", "words")


class LatestOnly(Paginator):
    """Counts no further than anybody pages; older entries are found by searching."""

    @cached_property
    def count(self) -> int:
        return self.object_list[:LATEST].count()  # type: ignore[attr-defined]


@admin.register(QueueJournal)
class QueueJournalAdmin(ReadOnlyAdmin):
    """May hold millions of rows: counted by nobody, found by person or number."""

    list_display = ("at", "event", "person", "kind", "number")
    list_select_related = ("event",)
    list_filter = ("kind",)
    list_per_page = 100
    list_max_show_all = 100
    paginator = LatestOnly
    show_full_result_count = False
    ordering = ("-id",)
    search_fields = ("person__exact", "number__exact")
    search_help_text = _("The number of a person or of a place in line.")


@admin.register(QueueDraw)
class QueueDrawAdmin(ReadOnlyAdmin):
    """Without the list itself: that is on the public page, as a file."""

    list_display = ("queue", "at", "shuffled", "first_number", "finished_at")
    list_select_related = ("queue__event",)
    show_full_result_count = False
    fields = ("queue", "at", "shuffled", "seed_when_over", "first_number", "finished_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[QueueDraw]:
        return super().get_queryset(request).select_related("queue__event").defer("people")

    @admin.display(description=_("seed"))
    def seed_when_over(self, draw: QueueDraw) -> str:
        """Secret from operators too, until it is public."""
        return draw.seed if draw.finished_at else "–"
