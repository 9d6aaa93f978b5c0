"""Seats under the operators' hands: blocks that were held back, and single seats."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ticketing.console.access import for_those_who, page, queue_of
from ticketing.console.forms import FREEZE, ReleaseForm, SeatForm
from ticketing.console.roles import FREEZE_SEATS, RELEASE_SEATS, WATCH
from ticketing.console.views.controls import ask, done
from ticketing.core import clock
from ticketing.core.admin.pages import operator
from ticketing.events import services as events
from ticketing.events.selectors import section_seat_counts
from waiting_queue.models import SaleQueue

RELEASED = gettext_lazy("These seats are on sale from this moment. Whoever is inside sees them.")


@for_those_who(WATCH)
def seats(request: HttpRequest, event_id: int) -> HttpResponse:
    """Which seats are held back where, with the forms to change that."""
    queue = queue_of(event_id)
    return _page(request, queue, ReleaseForm(event=queue.event), SeatForm(event=queue.event))


@for_those_who(RELEASE_SEATS)
def release(request: HttpRequest, event_id: int) -> HttpResponse:
    """Says how many seats it is about; only the answer to that puts them on sale."""
    queue = queue_of(event_id)
    form = ReleaseForm(request.POST or None, event=queue.event)
    if not form.is_valid():
        return _page(request, queue, form, SeatForm(event=queue.event))
    if "confirmed" not in request.POST:
        title = _("%(event)s: put %(count)s seats on sale")
        told = {"event": queue, "count": len(form.seat_ids)}
        return ask(request, queue, title % told, form, RELEASED, dangerous=True, hidden=True)
    count = events.release_seats(
        event_id=event_id,
        seat_ids=form.seat_ids,
        by=operator(request),
        reason=form.cleaned_data["reason"],
        now=clock.now(),
    )
    return done(request, event_id, _("%(count)s seats are on sale now.") % {"count": count})


@for_those_who(FREEZE_SEATS)
def freeze(request: HttpRequest, event_id: int) -> HttpResponse:
    """One seat is taken off the sale, or put back."""
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
    words = _("%(seat)s is frozen.") if freezes else _("%(seat)s is on sale.")
    return done(request, event_id, words % {"seat": seat})


def _page(
    request: HttpRequest, queue: SaleQueue, release: ReleaseForm, freeze: SeatForm
) -> HttpResponse:
    title = _("%(event)s: seats") % {"event": queue}
    shown = {"queue": queue, "event": queue.event, "sections": section_seat_counts(queue.pk)}
    return page(request, "seats", title, release=release, freeze=freeze, **shown)
