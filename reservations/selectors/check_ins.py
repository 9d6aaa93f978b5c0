"""Check-ins: who may check tickets in, which ticket a code means, and how many are inside."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Count, Q, QuerySet

from reservations.models import CheckIn, Ticket
from reservations.models.reservations import CODE_LENGTH, LETTERS
from reservations.tickets.signing import TicketPayload
from ticketing.accounts.models import ApiToken, User
from ticketing.accounts.services import require_staff
from ticketing.core.errors import NotAllowed, NotFound
from ticketing.events.models import Event, Section
from ticketing.events.selectors import without_rehearsals

NOT_IN_A_CODE = re.compile(rf"[^{LETTERS}]")
# Events that start within so many days come first for staff to choose from; so many are listed.
DOOR_DAYS = timedelta(days=2)
MOST_EVENTS = 50
# Before the doors open by more than this, the doorkeeper is asked before somebody is let in.
EARLY = timedelta(hours=3)
# Why somebody is not let in yet.
TOO_EARLY, NOT_CALLED = "early", "not_called"
RECENT = 8
CHECK_IN = "reservations.check_in"


@dataclass(frozen=True)
class SectionCount:
    """How many people of a section are inside."""

    code: str
    name: str
    expected: int
    inside: int


@dataclass(frozen=True)
class DoorCounts:
    expected: int
    inside: int
    parts: list[SectionCount]


def doorkeeper(fan_id: int, session: Mapping[str, Any], *, token: ApiToken | None = None) -> User:
    """The staff member, if they may check tickets in."""
    person = User.objects.filter(pk=fan_id, is_active=True).first()
    if person is None:
        raise NotAllowed()
    require_staff(user=person, permission=CHECK_IN, session=session, token=token)
    return person


def check_in_with(key: UUID) -> CheckIn | None:
    return CheckIn.objects.filter(key=key).first()


def ticket_for_payload(payload: TicketPayload) -> int | None:
    """The id of the ticket that a signed QR code names, if every field agrees."""
    same = {"event_id": payload.event, "seat_id": payload.seat, "serial": payload.serial}
    found = Ticket.objects.filter(pk=payload.ticket, **same)
    return found.values_list("pk", flat=True).first()


def ticket_with_typed_code(text: str) -> int | None:
    """The id of the ticket with this code; case, spaces and dashes are ignored."""
    code = NOT_IN_A_CODE.sub("", text.upper())
    if len(code) != CODE_LENGTH:
        return None
    return Ticket.objects.filter(code=code).values_list("pk", flat=True).first()


def with_details(entries: Iterable[CheckIn]) -> list[CheckIn]:
    """The same entries with ticket, seat and event loaded, in one statement."""
    keys = [entry.pk for entry in entries]
    found = {entry.pk: entry for entry in _check_ins().filter(pk__in=keys)}
    return [found[pk] for pk in keys]


def recent_check_ins(event_id: int) -> list[CheckIn]:
    return list(_check_ins().filter(event_id=event_id)[:RECENT])


def last_check_in(event_id: int, key: UUID) -> CheckIn | None:
    return _check_ins().filter(event_id=event_id, key=key).first()


def door_event(event_id: int) -> Event:
    """The event, unless it is a draft."""
    shown = Event.objects.exclude(state=Event.State.DRAFT).select_related("plan__venue")
    found = shown.filter(pk=event_id).first()
    if found is None:
        raise NotFound()
    return found


def door_events(now: datetime) -> tuple[list[Event], list[Event]]:
    """Events that start about now, and later ones, for staff to choose from."""
    coming = Event.objects.filter(without_rehearsals("id"), starts_at__gte=now - DOOR_DAYS)
    shown = coming.exclude(state=Event.State.DRAFT).select_related("plan__venue")
    events = list(shown.order_by("starts_at", "id")[:MOST_EVENTS])
    near = [event for event in events if event.starts_at <= now + DOOR_DAYS]
    return near, events[len(near) :]


def door_counts(event_id: int) -> DoorCounts:
    live = Ticket.objects.filter(event_id=event_id, state__in=Ticket.LIVE)
    rows = live.order_by("seat__section__order", "seat__section__code").values_list(
        *(f"seat__section__{name}" for name in ("code", "name_ko", "name_en"))
    )
    used = Count("pk", filter=Q(state=Ticket.State.USED))
    counted = rows.annotate(expected=Count("pk"), inside=used)
    parts = [
        SectionCount(code, Section(name_ko=ko, name_en=en).name, expected, inside)
        for code, ko, en, expected, inside in counted
    ]
    expected, inside = sum(it.expected for it in parts), sum(it.inside for it in parts)
    return DoorCounts(expected, inside, parts)


def _check_ins() -> QuerySet[CheckIn]:
    return CheckIn.objects.select_related(
        "ticket__seat__place__section", "ticket__seat__grade", "ticket__event", "event__plan__venue"
    )
