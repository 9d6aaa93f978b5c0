"""Who has which tickets, and how many are inside."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Count, F, Q, QuerySet

from reservations.errors import NoOffer, NoTicket
from reservations.models import CheckIn, ReservedSeat, Ticket, TransferOffer
from reservations.models.reservations import CODE_LENGTH, LETTERS
from reservations.tickets.signing import Claim
from ticketing.accounts.models import User
from ticketing.core.errors import NotAllowed, NotFound
from ticketing.events.models import Event, Section
from ticketing.events.selectors import without_rehearsals

NOT_IN_A_CODE = re.compile(rf"[^{LETTERS}]")
AROUND = ("event__plan__venue", "seat__place__section", "seat__grade", "holder", "reservation")
# Doors are chosen among the events of these days; others are found by searching the admin.
NEAR = timedelta(days=2)
RECENT = 8
CHECK_IN = "reservations.check_in"


@dataclass(frozen=True)
class Part:
    """How many of a section are inside. Programs know it by its code, people by its name."""

    code: str
    name: str
    expected: int
    inside: int


@dataclass(frozen=True)
class Counts:
    expected: int
    inside: int
    parts: list[Part]


def own_ticket(*, code: str, fan_id: int) -> Ticket:
    found = _shown().filter(code=code.upper(), holder_id=fan_id).first()
    if found is None:
        raise NoTicket()
    return found


def ticket_told(code: str) -> Ticket:
    """Whoever's it is, for mails that tell of it."""
    return _shown().get(code=code)


def own_tickets(*, fan_id: int, now: datetime) -> list[Ticket]:
    """What is not void, the next show first; of shows that are long over, none."""
    mine = _shown().filter(holder_id=fan_id, state__in=Ticket.LIVE)
    return list(mine.filter(event__starts_at__gt=now - NEAR).order_by("event__starts_at", "id"))


def tickets_of_order(*, code: str, fan_id: int | None = None) -> list[Ticket]:
    """The live tickets of an order; with a fan, only those that are still theirs."""
    whose = {} if fan_id is None else {"holder_id": fan_id}
    live = _shown().filter(reservation__code=code.upper(), state__in=Ticket.LIVE, **whose)
    return list(live.order_by("seat_id"))


def successor(ticket: Ticket) -> Ticket | None:
    """The one that counts instead, if it is the same person's."""
    others = {"seat_id": ticket.seat_id, "holder_id": ticket.holder_id}
    live = Ticket.objects.filter(**others, reservation=ticket.reservation_id, state__in=Ticket.LIVE)
    return live.exclude(pk=ticket.pk).first()


def open_offer(ticket: Ticket) -> TransferOffer | None:
    return ticket.offers.filter(state=TransferOffer.State.OPEN).first()


def offers_to(*, fan_id: int, now: datetime) -> list[TransferOffer]:
    offers = _offers_to(fan_id).filter(ticket__event__starts_at__gt=now)
    return list(offers.select_related(*(f"ticket__{name}" for name in AROUND)))


def open_offer_to(code: str, fan_id: int) -> TransferOffer:
    found = _offers_to(fan_id).filter(code=code.upper()).select_related("ticket").first()
    if found is None:
        raise NoOffer()
    return found


def seats_counted(*, event_id: int, fan_id: int) -> int:
    """What counts against the limit, just as `hold.sql` counts it."""
    own = ReservedSeat.objects.filter(
        live=True, reservation__event_id=event_id, reservation__fan_id=fan_id
    )
    given = Ticket.objects.filter(event_id=event_id, holder_id=fan_id, state__in=Ticket.LIVE)
    return own.count() + given.exclude(reservation__fan_id=F("holder_id")).count()


# -- the door -------------------------------------------------------------------------------------


def doorkeeper(fan_id: int) -> User:
    """Staff who may check tickets in."""
    person = User.objects.filter(pk=fan_id, is_active=True, is_staff=True).first()
    if person is None or not person.has_perm(CHECK_IN):
        raise NotAllowed()
    return person


def check_in_with(key: UUID) -> CheckIn | None:
    return CheckIn.objects.filter(key=key).first()


def ticket_claimed(claim: Claim) -> int | None:
    """The row that a signature speaks of, if there is one just like it."""
    same = {"event_id": claim.event, "seat_id": claim.seat, "serial": claim.serial}
    found = Ticket.objects.filter(pk=claim.ticket, **same)
    return found.values_list("pk", flat=True).first()


def ticket_with_code(text: str) -> int | None:
    """However it is spelled: small letters, spaces and dashes don't matter."""
    code = NOT_IN_A_CODE.sub("", text.upper())
    if len(code) != CODE_LENGTH:
        return None
    return Ticket.objects.filter(code=code).values_list("pk", flat=True).first()


def described(entries: Iterable[CheckIn]) -> list[CheckIn]:
    """The same with everything that is said of them, in one statement."""
    keys = [entry.pk for entry in entries]
    found = {entry.pk: entry for entry in _entries().filter(pk__in=keys)}
    return [found[pk] for pk in keys]


def recent_check_ins(event_id: int) -> list[CheckIn]:
    return list(_entries().filter(event_id=event_id)[:RECENT])


def last_check_in(event_id: int, key: UUID) -> CheckIn | None:
    return _entries().filter(event_id=event_id, key=key).first()


def door_event(event_id: int) -> Event:
    """One that has doors: a draft has none."""
    shown = Event.objects.exclude(state=Event.State.DRAFT).select_related("plan__venue")
    found = shown.filter(pk=event_id).first()
    if found is None:
        raise NotFound()
    return found


def door_events(now: datetime) -> list[Event]:
    """Those that are on about now, and have tickets."""
    near = Event.objects.filter(without_rehearsals("id"), starts_at__range=(now - NEAR, now + NEAR))
    shown = near.exclude(state=Event.State.DRAFT).select_related("plan__venue")
    return list(shown.order_by("starts_at", "id"))


def door_counts(event_id: int) -> Counts:
    live = Ticket.objects.filter(event_id=event_id, state__in=Ticket.LIVE)
    rows = live.order_by("seat__section__order", "seat__section__code").values_list(
        *(f"seat__section__{name}" for name in ("code", "name_ko", "name_en"))
    )
    used = Count("pk", filter=Q(state=Ticket.State.USED))
    counted = rows.annotate(expected=Count("pk"), inside=used)
    parts = [
        Part(code, Section(name_ko=ko, name_en=en).name, expected, inside)
        for code, ko, en, expected, inside in counted
    ]
    expected, inside = sum(it.expected for it in parts), sum(it.inside for it in parts)
    return Counts(expected, inside, parts)


def _shown() -> QuerySet[Ticket]:
    return Ticket.objects.select_related(*AROUND)


def _offers_to(fan_id: int) -> QuerySet[TransferOffer]:
    """Found by the address of whoever asks, so that nobody learns of what is another's."""
    addresses = User.objects.filter(pk=fan_id).values_list("email", flat=True)
    state = {"state": TransferOffer.State.OPEN, "ticket__state": Ticket.State.VALID}
    return TransferOffer.objects.filter(email__in=addresses, **state)


def _entries() -> QuerySet[CheckIn]:
    return CheckIn.objects.select_related(
        "ticket__seat__place__section", "ticket__seat__grade", "ticket__event", "event__plan__venue"
    )
