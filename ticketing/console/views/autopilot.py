"""Switches the autopilot on with its bounds, and off."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from ticketing.console import services
from ticketing.console.selectors import queue_of
from ticketing.console.services.roles import SET_KNOBS
from ticketing.console.views.access import render_page, requires_permission
from ticketing.console.views.controls import audit_fields, back_to_console
from ticketing.console.views.forms import AutopilotForm
from ticketing.core import clock
from ticketing.core.admin.pages import operator, require_post


@requires_permission(SET_KNOBS)
def autopilot(request: HttpRequest, event_id: int) -> HttpResponse:
    """Switch it on, or change its bounds."""
    queue = queue_of(event_id)
    form = AutopilotForm(request.POST or None)
    if form.is_valid():
        fields = audit_fields(request, form, "why")
        services.enable_autopilot(event_id=event_id, bounds=form.bounds, **fields)
        return back_to_console(request, event_id, _("The autopilot is on."))
    title = _("%(event)s: autopilot") % {"event": queue}
    return render_page(request, "autopilot", title, queue=queue, event=queue.event, form=form)


@requires_permission(SET_KNOBS)
def autopilot_off(request: HttpRequest, event_id: int) -> HttpResponse:
    require_post(request)
    user, queue = operator(request), queue_of(event_id)
    services.disable_autopilot(event_id=queue.pk, by=user, now=clock.now())
    return back_to_console(request, event_id, _("The autopilot is off. The rate stays as it is."))
