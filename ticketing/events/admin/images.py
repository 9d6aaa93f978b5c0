"""Badges and pictures in lists and forms."""

from base64 import b64encode

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from ticketing.events.models import Event, Seat, SeatPlan

STATES = {str(state.value): state.label for kind in (Event.State, Seat.State) for state in kind}


def badge(state: str) -> SafeString:
    return format_html('<span class="state state-{}">{}</span>', state, STATES.get(state, state))


def rehearsal_badge(event: Event) -> SafeString:
    """Nobody takes a rehearsal for the sale itself."""
    if not event.is_rehearsal:
        return SafeString("")
    return format_html('<span class="state state-rehearsal">{}</span> ', _("Rehearsal"))


def state_words(value: str) -> str:
    """A state as a person reads it; anything else as it is."""
    return str(STATES.get(value, value))


def plan_image(plan: SeatPlan, *, small: bool) -> SafeString:
    """Fetched on its own and only when it is looked at; the address differs by language."""
    url = reverse("admin:ticketing_seatplan_picture", args=[plan.pk])
    return format_html(
        '<img class="plan-picture{}" loading="lazy" alt="{}" src="{}?lang={}{}">',
        " plan-small" if small else "",
        plan.name,
        url,
        get_language() or "",
        "&small=1" if small else "",
    )


def data_image(svg: str) -> str:
    """A picture that is not stored anywhere, as the address of an image."""
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"


def poster_image(event: Event) -> SafeString | str:
    if not event.poster:
        return "–"
    return format_html('<img class="poster-preview" alt="" src="{}">', event.poster.url)
