"""Admin pages of an event: change its state, create its seats, hold seats back."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from ticketing.core import clock
from ticketing.core.admin.forms import ReasonForm
from ticketing.core.admin.pages import PagesAdmin, operator, require_post
from ticketing.core.errors import NotFound
from ticketing.events import services
from ticketing.events.admin.forms.events import HOLD_BACK, HoldBackForm
from ticketing.events.models import Approval, Event
from ticketing.events.selectors import event_seat_counts, needs_approval, section_seat_counts

CONSEQUENCES = {
    Event.State.DRAFT: gettext_lazy("The public no longer sees the event."),
    Event.State.ANNOUNCED: gettext_lazy(
        "Everybody sees the event. Its sale opens by itself at the appointed time."
    ),
    Event.State.ON_SALE: gettext_lazy("Fans can buy seats from this moment."),
    Event.State.PAUSED: gettext_lazy(
        "Nobody can take new seats, and nobody is called, until the sale goes on."
    ),
    Event.State.SOLD_OUT: gettext_lazy("The event is shown as sold out and sells nothing more."),
    Event.State.CLOSED: gettext_lazy(
        "The sale ends, and its line is closed. It can be opened again."
    ),
    Event.State.CANCELLED: gettext_lazy("The event will not happen. This can't be undone."),
}
DANGEROUS = {Event.State.CLOSED, Event.State.CANCELLED}


class EventPages(PagesAdmin):
    def get_urls(self) -> list[URLPattern]:
        return [
            self.route("<int:pk>/move/<slug:to>/", self.move_view, "event_move"),
            self.route("<int:pk>/create-seats/", self.create_seats_view, "event_create_seats"),
            self.route("<int:pk>/hold-back/", self.hold_back_view, "event_hold_back"),
            *super().get_urls(),
        ]

    def move_view(self, request: HttpRequest, pk: int, to: str) -> HttpResponse:
        """Show the consequence, ask for a reason, then move the event to the state."""
        if to not in Event.State:
            raise NotFound()
        event, state = self.changeable(request, pk), Event.State(to)
        form = ReasonForm(request.POST or None, required=state in DANGEROUS)
        if request.method == "POST" and form.is_valid():
            return self._move(request, event, state, form.cleaned_data["reason"])
        if request.method != "POST":
            # Refuses an impossible move before asking for a reason; the row stays as it is.
            Event(state=event.state).move_to(state)
        return self.page(
            request,
            "event_move",
            _("%(event)s: %(state)s") % {"event": event, "state": state.label},
            event=event,
            form=form,
            state=state,
            consequence=CONSEQUENCES[state],
            dangerous=state in DANGEROUS,
            needs_approval=self._needs_approval(request, pk, services.GUARDED_MOVES.get(state)),
            counts=event_seat_counts([pk]).get(pk),
        )

    def _move(
        self, request: HttpRequest, event: Event, to: Event.State, reason: str
    ) -> HttpResponse:
        services.move_event_by_operator(
            event_id=event.pk, to=to, by=operator(request), reason=reason, now=clock.now()
        )
        message = _("“%(event)s” is now: %(state)s.")
        self.message_user(request, message % {"event": event, "state": to.label}, messages.SUCCESS)
        return self.back_to(event, request)

    def create_seats_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        require_post(request)
        event = self.changeable(request, pk)
        count = services.create_seats(event_id=event.pk, by=operator(request), now=clock.now())
        message = ngettext("%(count)s seat was created.", "%(count)s seats were created.", count)
        self.message_user(request, message % {"count": count}, messages.SUCCESS)
        return self.back_to(event, request)

    def hold_back_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Take seats off sale, or put them back on sale, by section, row and number."""
        event = self.changeable(request, pk)
        form = HoldBackForm(request.POST or None, event=event, initial={"action": HOLD_BACK})
        if request.method == "POST" and form.is_valid():
            holds = form.cleaned_data["action"] == HOLD_BACK
            count = (services.block_seats_by_operator if holds else services.release_seats)(
                event_id=event.pk,
                seat_ids=form.seat_ids,
                by=operator(request),
                reason=form.cleaned_data["reason"],
                now=clock.now(),
            )
            message = _(
                "%(count)s seats were changed, %(left)s others in this range were left alone."
            )
            self.message_user(request, message % {"count": count, "left": form.skipped})
            return self.back_to(event, request)
        title = _("%(event)s: hold seats back") % {"event": event}
        return self.page(
            request,
            "event_hold_back",
            title,
            event=event,
            form=form,
            sections=section_seat_counts(pk),
            needs_approval=self._needs_approval(request, pk, Approval.Action.FREEZE_SEATS),
        )

    def _needs_approval(self, request: HttpRequest, pk: int, action: str | None) -> bool:
        if action is None:
            return False
        return needs_approval(action=action, event_id=pk, by=operator(request))
