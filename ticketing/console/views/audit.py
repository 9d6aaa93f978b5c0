"""The audit trail of an event: filtered, searched, and as a CSV file."""

import csv
import io
from itertools import islice
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ticketing.accounts.models import User
from ticketing.console import services
from ticketing.console.selectors import event_of
from ticketing.console.selectors.audit_trail import (
    FANS,
    KINDS,
    SYSTEM,
    Position,
    TrailFilter,
    audit_trail,
    readable_sources,
    whole_trail,
)
from ticketing.console.services.roles import WATCH
from ticketing.console.views.access import render_page, requires_permission
from ticketing.console.views.audit_labels import trail_rows
from ticketing.core import clock
from ticketing.core.admin.pages import operator, require_post
from ticketing.core.spreadsheets import BOM, without_formula

PAGE_SIZE, BATCH = 50, 1_000
# A file is made in memory before it is sent: a slow reader must not keep a thread.
MAX_EXPORTED = 50_000
COLUMNS = ("at", "kind", "by", "what", "before", "after", "why")


class TrailForm(forms.Form):
    """People who acted are chosen from staff, so that no address gets into an access log."""

    kind = forms.ChoiceField(
        label=gettext_lazy("Kind"),
        required=False,
        choices=[("", gettext_lazy("everything")), *KINDS.items()],
    )
    by = forms.ChoiceField(label=gettext_lazy("Who did it"), required=False)
    since = forms.DateTimeField(
        label=gettext_lazy("From the time"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )
    until = forms.DateTimeField(
        label=gettext_lazy("Until the time"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )
    text = forms.CharField(
        label=gettext_lazy("Search"),
        required=False,
        max_length=100,
        widget=forms.TextInput(
            attrs={"placeholder": gettext_lazy("order, payment, person 12, reason …")}
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        staff = User.objects.filter(is_staff=True).order_by("email")
        self.fields["by"].choices = [  # type: ignore[attr-defined]
            ("", _("everybody")),
            (SYSTEM, _("the system")),
            (FANS, _("fans")),
            *((str(user.pk), str(user)) for user in staff),
        ]

    @property
    def wanted(self) -> TrailFilter:
        """Everything, if the form is not valid."""
        return TrailFilter(**self.cleaned_data) if self.is_valid() else TrailFilter()


@requires_permission(WATCH)
def audit(request: HttpRequest, event_id: int) -> HttpResponse:
    event, reader = event_of(event_id), operator(request)
    form = TrailForm(request.GET)
    page = audit_trail(
        event_id,
        sources=readable_sources(reader),
        wanted=form.wanted,
        after=Position.parse(request.GET.get("after", "")),
        size=PAGE_SIZE,
    )
    query = request.GET.copy()
    query["after"] = str(page.following or "")
    context: dict[str, Any] = {
        "form": form,
        "changes": trail_rows(page.entries, reader=reader),
        "older": query.urlencode() if page.following else "",
        "is_first": "after" not in request.GET,
    }
    title = _("%(event)s: audit trail") % {"event": event}
    return render_page(request, "audit", title, event=event, **context)


@requires_permission(WATCH)
def audit_csv(request: HttpRequest, event_id: int) -> HttpResponse:
    """What the filter finds, as one file; the trail says who exported it."""
    require_post(request)
    event, reader = event_of(event_id), operator(request)
    found = whole_trail(
        event.pk,
        sources=readable_sources(reader),
        wanted=TrailForm(request.POST).wanted,
        size=BATCH,
    )
    rows = trail_rows(islice(found, MAX_EXPORTED), reader=reader)
    is_cut = next(found, None) is not None
    services.record_audit_export(event_id=event.pk, rows=len(rows), by=reader, now=clock.now())
    response = HttpResponse(_as_csv(rows, is_cut), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="audit-{event.pk}.csv"'
    return response


def _as_csv(rows: list[dict[str, Any]], is_cut: bool) -> str:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for row in rows:
        when = localtime(row["at"]).isoformat(timespec="seconds")
        writer.writerow([when, *(without_formula(str(row[name])) for name in COLUMNS[1:])])
    if is_cut:
        writer.writerow(["…", _("There are older changes: narrow the time to export them.")])
    return BOM + out.getvalue()
