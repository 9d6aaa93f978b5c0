"""Ways to the checklist, for pages of the admin."""

from typing import Any

from django import template

from ticketing.core.admin.pages import checklist_url
from ticketing.event_setup.selectors import first_steps

register = template.Library()


@register.simple_tag(takes_context=True)
def way_back(context: Any) -> str:
    """The checklist from which this page was opened; empty if there was none."""
    request = context.get("request")
    return checklist_url(request) if request is not None else ""


@register.simple_tag
def has_events() -> bool:
    return first_steps().has_events
