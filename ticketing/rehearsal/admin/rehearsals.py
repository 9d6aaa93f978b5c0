"""The admin of rehearsals: start, watch and stop them, and read their reports."""

from typing import Any

from csp.constants import NONE, UNSAFE_INLINE
from csp.decorators import csp
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils.decorators import method_decorator
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from ticketing.core import clock
from ticketing.core.admin.pages import ReadOnlyAdmin, operator, require_post
from ticketing.core.errors import NotFound
from ticketing.events.models import Event
from ticketing.events.selectors import event_seat_counts
from ticketing.rehearsal import gateway_ledger, services, tasks
from ticketing.rehearsal.admin.forms import RehearseForm
from ticketing.rehearsal.admin.labels import verdict_rows
from ticketing.rehearsal.models import REHEARSE, Rehearsal

EMPTY = "–"
# The report is one page with inline style and images. It may not load or run anything.
REPORT_POLICY = {
    "default-src": [NONE],
    "style-src": [UNSAFE_INLINE],
    "img-src": ["data:"],
    "base-uri": [NONE],
    "form-action": [NONE],
    "frame-ancestors": [NONE],
    "sandbox": True,
}


@admin.register(Rehearsal)
class RehearsalAdmin(ReadOnlyAdmin):
    list_display = ("code", "result", "source", "fans", "minutes", "started_at", "started_by")
    list_select_related = ("source", "started_by")
    list_filter = ("state",)
    list_per_page = 50
    date_hierarchy = "started_at"
    search_fields = ("code", "source__title_ko", "source__title_en")
    fields = (
        *("code", "source", "result", "fans", "minutes", "profile", "faults"),
        *("started_by", "started_at", "ended_at", "cleaned_at", "finished_at"),
    )

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).defer("html", "json")

    def get_urls(self) -> list[URLPattern]:
        return [
            self.route("rehearse/<int:event_id>/", self.rehearse_view, "rehearsal_rehearse"),
            self.route("<int:pk>/stop/", self.stop_view, "rehearsal_stop"),
            self.route("<int:pk>/report.html", self.report_view, "rehearsal_report"),
            self.route("<int:pk>/report.json", self.json_view, "rehearsal_json"),
            *super().get_urls(),
        ]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        context = dict(extra_context or {})
        if not Rehearsal.objects.exists():
            context |= {"has_none": True, "title": self.opts.verbose_name_plural}
        return super().changelist_view(request, context)

    # -- actions ----------------------------------------------------------------------------------

    def rehearse_view(self, request: HttpRequest, event_id: int) -> HttpResponse:
        """Explain what a rehearsal does, ask for its size, and start it."""
        require(request, REHEARSE)
        event = Event.objects.filter(pk=event_id, rehearsal_of=None).first()
        if event is None:
            raise NotFound()
        form = RehearseForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            return self._start(request, event, form)
        title = _("%(event)s: rehearse the sale") % {"event": event}
        context = {
            "counts": event_seat_counts([event_id]).get(event_id),
            "under_way": Rehearsal.objects.filter(cleaned_at=None).defer("html", "json").first(),
            "pays": gateway_ledger.is_sandbox(),
        }
        return self.page(request, "rehearse", title, event=event, form=form, **context)

    def _start(self, request: HttpRequest, event: Event, form: RehearseForm) -> HttpResponse:
        options = form.options | {"language": get_language()}  # of its report
        rehearsal = services.start_rehearsal(
            event_id=event.pk, options=options, by=operator(request), now=clock.now()
        )
        tasks.rehearse.delay(rehearsal.code)
        self.message_user(request, _("The rehearsal has started."), messages.SUCCESS)
        return self.back_to(rehearsal)

    def stop_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        require_post(request)
        require(request, REHEARSE)
        rehearsal = self._get_viewable(request, pk)
        left = services.stop_rehearsal(code=rehearsal.code, by=operator(request), now=clock.now())
        rehearsal.refresh_from_db(fields=["cleaned_at"])
        if rehearsal.cleaned_at is None:
            message = _("Not everything is cleaned up yet; this is tried again by itself.")
            self.message_user(request, message, messages.WARNING)
        elif any(left.values()):
            message = _("Stopped and cleaned up, except for what belongs to a real event.")
            self.message_user(request, message, messages.WARNING)
        else:
            self.message_user(request, _("Stopped and cleaned up."), messages.SUCCESS)
        return self.back_to(rehearsal)

    # -- reports ----------------------------------------------------------------------------------

    @method_decorator(csp(REPORT_POLICY))
    def report_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        html = self._get_viewable(request, pk).html
        if not html:
            raise NotFound()
        return HttpResponse(html)

    def json_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        rehearsal = self._get_viewable(request, pk)
        if not rehearsal.json:
            raise NotFound()
        name = f"rehearsal-{rehearsal.code}.json"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return HttpResponse(rehearsal.json, content_type="application/json", headers=headers)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        rehearsal: Rehearsal = context["original"]
        context |= {
            "verdicts": verdict_rows(rehearsal.summary),
            "left": {name: n for name, n in rehearsal.left_behind.items() if n},
            "has_report": Rehearsal.objects.filter(pk=rehearsal.pk).exclude(html="").exists(),
            "has_json": Rehearsal.objects.filter(pk=rehearsal.pk).exclude(json="").exists(),
            "may_stop": rehearsal.cleaned_at is None and operator(request).has_perm(REHEARSE),
        }
        return super().render_change_form(request, context, *args, **kwargs)

    # -- columns ----------------------------------------------------------------------------------

    @admin.display(description=gettext_lazy("result"), ordering="state")
    def result(self, rehearsal: Rehearsal) -> SafeString:
        label = Rehearsal.State(rehearsal.state).label
        return format_html('<span class="state state-{}">{}</span>', rehearsal.state, label)

    @admin.display(description=gettext_lazy("fans"))
    def fans(self, rehearsal: Rehearsal) -> str:
        return f"{rehearsal.options.get('fans', 0):,}"

    @admin.display(description=gettext_lazy("minutes"))
    def minutes(self, rehearsal: Rehearsal) -> str:
        return f"{rehearsal.options.get('minutes', 0):g}"

    @admin.display(description=gettext_lazy("how they come"))
    def profile(self, rehearsal: Rehearsal) -> str:
        return _label(Rehearsal.Profile, rehearsal.options.get("profile"))

    @admin.display(description=gettext_lazy("what goes wrong"))
    def faults(self, rehearsal: Rehearsal) -> str:
        return _label(Rehearsal.Faults, rehearsal.options.get("faults"))

    def _get_viewable(self, request: HttpRequest, pk: int) -> Rehearsal:
        if not self.has_view_permission(request):
            raise PermissionDenied
        found: Rehearsal | None = self.get_queryset(request).filter(pk=pk).first()
        if found is None:
            raise NotFound()
        return found


# Adds the button "Rehearse" to the page of an event, which knows nothing of rehearsals.
type(
    admin.site.get_model_admin(Event)
).change_form_template = "admin/rehearsal/event_change_form.html"


def require(request: HttpRequest, permission: str) -> None:
    if not operator(request).has_perm(permission):
        raise PermissionDenied


def _label(choices: Any, value: str | None) -> str:
    return str(choices(value).label) if value in choices.values else EMPTY
