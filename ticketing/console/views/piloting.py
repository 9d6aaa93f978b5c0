"""The autopilot's switch: on with its limits, off with one press."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from ticketing.console import services
from ticketing.console.access import for_those_who, page, queue_of
from ticketing.console.forms import AutopilotForm
from ticketing.console.roles import SET_KNOBS
from ticketing.console.views.controls import done
from ticketing.core import clock
from ticketing.core.admin.pages import operator, require_post


@for_those_who(SET_KNOBS)
def autopilot(request: HttpRequest, event_id: int) -> HttpResponse:
    """Switches it on, or changes its limits."""
    queue = queue_of(event_id)
    form = AutopilotForm(request.POST or None)
    if form.is_valid():
        signed = {"by": operator(request), "why": form.cleaned_data["why"], "now": clock.now()}
        services.switch_on(event_id=event_id, limits=form.limits, **signed)
        return done(request, event_id, _("The autopilot is on."))
    title = _("%(event)s: autopilot") % {"event": queue}
    return page(request, "autopilot", title, queue=queue, event=queue.event, form=form)


@for_those_who(SET_KNOBS)
def autopilot_off(request: HttpRequest, event_id: int) -> HttpResponse:
    require_post(request)
    services.switch_off(event_id=queue_of(event_id).pk, by=operator(request), now=clock.now())
    return done(request, event_id, _("The autopilot is off. The rate stays as it is."))
