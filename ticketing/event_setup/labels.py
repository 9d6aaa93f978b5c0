"""Titles of the steps, and where each is done."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from ticketing.event_setup.selectors import FirstSteps, Step
from ticketing.events.models import Event

TITLES: dict[str, str | Promise] = {
    "organiser": _("Organiser"),
    "venue": _("Venue"),
    "plan": _("Seat plan"),
    "event": _("Event"),
    "prices": _("Prices"),
    "seats": _("Seats"),
    "line": _("Line"),
    "rehearsal": _("Rehearsal"),
    "announce": pgettext_lazy("a step", "Announce"),
}


@dataclass(frozen=True)
class Link:
    """A button if it `posts`: it changes something at once."""

    label: str | Promise
    url: str
    posts: bool = False


@dataclass(frozen=True)
class Row:
    step: Step
    title: str | Promise
    links: list[Link]


def start_rows(first: FirstSteps) -> list[Row]:
    venue = {"venue": first.venue.pk} if first.venue else {}
    ready = first.organiser and first.plan
    chosen = {"organiser": first.organiser.pk, "plan": first.plan.pk} if ready else {}  # type: ignore[union-attr]
    links = {
        "organiser": [_link(_("Add an organiser"), "admin:ticketing_organiser_add")],
        "venue": [_link(_("Add a venue"), "admin:ticketing_venue_add")],
        "plan": [
            _link(_("Generate a plan"), "admin:ticketing_seatplan_generate", query=venue),
            _link(_("Import a plan"), "admin:ticketing_seatplan_import", query=venue),
        ],
        "event": [_link(_("Add an event"), "admin:ticketing_event_add", query=chosen)]
        if ready
        else [],
    }
    return [Row(step, TITLES[step.name], links[step.name]) for step in first.steps]


def checklist_rows(event: Event, steps: list[Step]) -> list[Row]:
    is_ready = not any(step.is_missing for step in steps if step.name != "announce")
    return [Row(step, TITLES[step.name], _links(event, step, is_ready)) for step in steps]


def _links(event: Event, step: Step, is_ready: bool) -> list[Link]:
    pk = event.pk
    match step.name:
        case "seats":
            return [_seats_link(pk, step)]
        case "line":
            return _line_links(event, step)
        case "announce":
            return _announce_links(event, is_ready)
    edit = _link(_("Edit the event"), "admin:ticketing_event_change", pk, event=pk)
    venue = event.plan.venue_id
    return {
        "venue": [_link(_("Edit"), "admin:ticketing_venue_change", venue, event=pk)],
        "plan": [_link(_("View"), "admin:ticketing_seatplan_change", event.plan_id, event=pk)],
        "event": [edit],
        "prices": [Link(_("Edit the prices"), f"{edit.url}#grades-group")],
        "rehearsal": [_link(_("Rehearse"), "admin:rehearsal_rehearsal_rehearse", pk, event=pk)],
    }[step.name]


def _seats_link(pk: int, step: Step) -> Link:
    if step.is_done:
        return _link(_("Hold seats back"), "admin:ticketing_event_hold_back", pk, event=pk)
    name = "admin:ticketing_event_create_seats"
    return _link(_("Create seats from the plan"), name, pk, event=pk, posts=True)


def _line_links(event: Event, step: Step) -> list[Link]:
    if hasattr(event, "queue"):
        change = "admin:queue_salequeue_change"
        return [_link(_("Edit the line"), change, event.pk, event=event.pk)]
    query = {"event": event.pk}
    add = _link(_("Set up the line"), "admin:queue_salequeue_add", event=event.pk, query=query)
    without = _link(_("Sell without a line"), "setup:without_line", event.pk, posts=True)
    return [add] if step.is_done else [add, without]


def _announce_links(event: Event, is_ready: bool) -> list[Link]:
    if event.state != Event.State.DRAFT:
        return [Link(_("To the console"), reverse("console:event", args=[event.pk]))]
    to = Event.State.ANNOUNCED.value
    move = _link(
        _("Announce the event"), "admin:ticketing_event_move", event.pk, to, event=event.pk
    )
    return [move] if is_ready else []


def _link(
    label: Any, name: str, *args: Any, event: int = 0, posts: bool = False, query: Any = None
) -> Link:
    """With the checklist to come back to: an event's, or that of a new one."""
    back = urlencode((query or {}) | {"checklist": event})
    return Link(label, f"{reverse(name, args=args)}?{back}", posts)
