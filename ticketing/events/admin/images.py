"""Badges and images in admin lists and forms."""

from base64 import b64encode

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from ticketing.events.models import STATE_LABELS, Event, SeatPlan


def badge(state: str) -> SafeString:
    return format_html(
        '<span class="state state-{}">{}</span>', state, STATE_LABELS.get(state, state)
    )


def rehearsal_badge(event: Event) -> SafeString:
    """Marks a rehearsal, so that operators do not mistake it for the real sale."""
    if not event.is_rehearsal:
        return SafeString("")
    return format_html('<span class="state state-rehearsal">{}</span> ', _("Rehearsal"))


def plan_image(plan: SeatPlan, *, small: bool) -> SafeString:
    """Loaded lazily; language and revision are part of the URL: browsers cache the image."""
    url = reverse("admin:ticketing_seatplan_picture", args=[plan.pk])
    return format_html(
        '<img class="plan-picture{}" loading="lazy" alt="{}" src="{}?lang={}&amp;v={}{}">',
        " plan-small" if small else "",
        plan.name,
        url,
        get_language() or "",
        plan.revision,
        "&small=1" if small else "",
    )


def data_image(svg: str) -> str:
    """An unsaved drawing as a data URL."""
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"


def poster_image(event: Event) -> SafeString | str:
    if not event.poster:
        return "–"
    return format_html('<img class="poster-preview" alt="" src="{}">', event.poster.url)
