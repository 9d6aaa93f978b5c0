"""Releases held-back seats, and freezes or unfreezes single seats."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ticketing.console.selectors import queue_of
from ticketing.console.services.roles import FREEZE_SEATS, RELEASE_SEATS, WATCH
from ticketing.console.views.access import render_page, requires_permission
from ticketing.console.views.controls import back_to_console, confirm_page
from ticketing.console.views.forms import FREEZE, ReleaseForm, SeatForm
from ticketing.core import clock
from ticketing.core.admin.pages import operator
from ticketing.events import services as events
from ticketing.events.selectors import section_seat_counts
from waiting_queue.models import SaleQueue

RELEASED = gettext_lazy("These seats are on sale from this moment. Whoever is inside sees them.")


@requires_permission(WATCH)
def seats(request: HttpRequest, event_id: int) -> HttpResponse:
    """Seats by section and state, with the forms to release and freeze them."""
    queue = queue_of(event_id)
    return _page(request, queue, ReleaseForm(event=queue.event), SeatForm(event=queue.event))


@requires_permission(RELEASE_SEATS)
def release(request: HttpRequest, event_id: int) -> HttpResponse:
    """Ask for confirmation with the number of seats, then put them on sale."""
    queue = queue_of(event_id)
    form = ReleaseForm(request.POST or None, event=queue.event)
    if not form.is_valid():
        return _page(request, queue, form, SeatForm(event=queue.event))
    if "confirmed" not in request.POST:
        title = _("%(event)s: put %(count)s seats on sale")
        params = {"event": queue, "count": len(form.seat_ids)}
        return confirm_page(
            request, queue, title % params, form, RELEASED, dangerous=True, hidden=True
        )
    count = events.release_seats(
        event_id=event_id,
        seat_ids=form.seat_ids,
        by=operator(request),
        reason=form.cleaned_data["reason"],
        now=clock.now(),
    )
    return back_to_console(
        request, event_id, _("%(count)s seats are on sale now.") % {"count": count}
    )


@requires_permission(FREEZE_SEATS)
def freeze(request: HttpRequest, event_id: int) -> HttpResponse:
    """Take one seat off sale, or put it back."""
    queue = queue_of(event_id)
    form = SeatForm(request.POST or None, event=queue.event)
    if not form.is_valid():
        return _page(request, queue, ReleaseForm(event=queue.event), form)
    seat, freezes = form.cleaned_data["seat"], form.cleaned_data["action"] == FREEZE
    (events.block_seats if freezes else events.release_seats)(
        event_id=event_id,
        seat_ids=[seat.pk],
        by=operator(request),
        reason=form.cleaned_data["reason"],
        now=clock.now(),
    )
    message = _("%(seat)s is frozen.") if freezes else _("%(seat)s is on sale.")
    return back_to_console(request, event_id, message % {"seat": seat})


def _page(
    request: HttpRequest, queue: SaleQueue, release: ReleaseForm, freeze: SeatForm
) -> HttpResponse:
    title = _("%(event)s: seats") % {"event": queue}
    context = {"queue": queue, "event": queue.event, "sections": section_seat_counts(queue.pk)}
    return render_page(request, "seats", title, release=release, freeze=freeze, **context)
