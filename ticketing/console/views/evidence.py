"""Suspicious groups with their reasons, what operators do about them, and the export."""

import csv
import io
import json
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ticketing.accounts.models import User
from ticketing.accounts.services import require_fresh
from ticketing.console import services
from ticketing.console.selectors import queue_of
from ticketing.console.selectors.suspicious_groups import people_of, suspicious_groups
from ticketing.console.services.evidence import FIELDS
from ticketing.console.services.roles import BLOCK_PEOPLE, EXPORT_EVIDENCE
from ticketing.console.views.access import render_page, requires_permission
from ticketing.console.views.controls import audit_fields
from ticketing.core.admin.forms import ReasonForm
from ticketing.core.errors import NotFound
from ticketing.core.spreadsheets import BOM, without_formula
from waiting_queue import services as queues

LISTED = 100
DEMOTE, ASK = "demote", "ask"
SERVICES = {DEMOTE: queues.demote_people, ASK: queues.ask_people_to_verify}


class GroupForm(ReasonForm):
    action = forms.ChoiceField(
        label=gettext_lazy("What"),
        choices=[
            (ASK, gettext_lazy("ask them to verify who they are before they hold seats")),
            (DEMOTE, gettext_lazy("move them to the end of the line; they may appeal")),
        ],
        widget=forms.RadioSelect,
    )
    field_order = ["action", "reason"]


class ExportForm(ReasonForm):
    form = forms.ChoiceField(
        label=gettext_lazy("Format"), choices=[("csv", "CSV"), ("json", "JSON")]
    )
    field_order = ["form", "reason"]


@requires_permission(BLOCK_PEOPLE)
def groups(request: HttpRequest, event_id: int) -> HttpResponse:
    queue = queue_of(event_id)
    title = _("%(event)s: people who look like one") % {"event": queue}
    found = suspicious_groups(event_id)
    moved = len(queues.people_of_groups(event_id, queues.DEMOTED))
    context: dict[str, Any] = {"queue": queue, "event": queue.event, "moved": moved}
    return render_page(request, "groups", title, groups=found, **context)


@requires_permission(BLOCK_PEOPLE)
def group(request: HttpRequest, event_id: int, key: str) -> HttpResponse:
    """Show who is in a group, and act on all of them with a reason, which they read."""
    queue = queue_of(event_id)
    found = next((it for it in suspicious_groups(event_id) if it.key == key), None)
    if found is None:
        raise NotFound()
    people = people_of(found, event_id=event_id)
    form = GroupForm(request.POST if request.method == "POST" else None, required=True)
    if form.is_valid():
        act = SERVICES[form.cleaned_data["action"]]
        done = act(event_id=event_id, people=[*map(str, people)], **audit_fields(request, form))
        text = _("Done for %(done)s of %(all)s people.")
        messages.success(request, text % {"done": len(done), "all": len(people)})
        return redirect("console:groups", event_id)
    users = User.objects.filter(pk__in=people[:LISTED]).order_by("email")
    title = _("%(event)s: %(reason)s") % {"event": queue, "reason": found.reason}
    context: dict[str, Any] = {"queue": queue, "event": queue.event, "group": found}
    return render_page(request, "group", title, form=form, users=users, **context)


@requires_permission(EXPORT_EVIDENCE)
def evidence(request: HttpRequest, event_id: int) -> HttpResponse:
    """Download it, after giving a reason; from a session that has just proved who it is."""
    require_fresh(request.session)
    queue = queue_of(event_id)
    form = ExportForm(request.POST if request.method == "POST" else None, required=True)
    if not form.is_valid():
        title = _("%(event)s: export of evidence") % {"event": queue}
        return render_page(request, "evidence", title, queue=queue, event=queue.event, form=form)
    kind, audit = form.cleaned_data["form"], audit_fields(request, form)
    rows = services.export_evidence(event_id=event_id, form=kind, **audit)
    head = {"event": event_id, "title": str(queue), "by": str(audit["by"]), "reason": audit["why"]}
    text, media = _as_csv(rows), "text/csv; charset=utf-8"
    if kind == "json":
        body = head | {"exported_at": audit["now"], "rows": rows}
        text, media = json.dumps(body, default=_as_text, ensure_ascii=False), "application/json"
    response = HttpResponse(text, content_type=media)
    response["Content-Disposition"] = f'attachment; filename="evidence-{event_id}.{kind}"'
    return response


def _as_csv(rows: list[dict[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, FIELDS)
    writer.writeheader()
    for row in rows:
        plain = {name: without_formula(value) for name, value in row.items()}
        writer.writerow(plain | {"at": _as_text(row["at"])})
    return BOM + out.getvalue()


def _as_text(value: Any) -> str:
    return localtime(value).isoformat(timespec="seconds")
