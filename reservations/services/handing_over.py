"""Another name, another code, another owner: each is a new ticket, and the old QR code dies."""

from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction

from reservations import errors, locks
from reservations.models import Ticket, TicketChange, TransferOffer
from reservations.services.announcing import tell_giver, tell_holder, tell_receiver
from reservations.services.issuing import note_change
from reservations.tickets import selectors
from ticketing.accounts.models import User
from ticketing.events.models import Event

State = Ticket.State
Reason = Ticket.Reason
What = TicketChange.What
Offer = TransferOffer.State
# A ticket is offered so often in a day: each offer is a mail to somebody who did not ask for it.
OFFERS_A_DAY = 5


@transaction.atomic
def rename_ticket(
    *, code: str, fan_id: int, name: str, now: datetime, language: str = ""
) -> Ticket:
    """Another name on it, as long as the event allows."""
    ticket = _own_valid(code, fan_id)
    if not is_before(ticket.event, ticket.event.rename_hours, now):
        raise errors.NotRenamable()
    new = _replace(ticket, Reason.RENAMED, What.RENAMED, now, by=fan_id, name=name)
    tell_holder("TicketRenamed", new, language=language, now=now, before=ticket.name)
    return new


@transaction.atomic
def reissue_ticket(*, code: str, fan_id: int, now: datetime, language: str = "") -> Ticket:
    """The holder fears that somebody has a copy."""
    ticket = _own_valid(code, fan_id)
    new = _replace(ticket, Reason.REISSUED, What.REISSUED, now, by=fan_id)
    tell_holder("TicketReissued", new, language=language, now=now)
    return new


@transaction.atomic
def reissue_by_operator(*, code: str, by: User, why: str, now: datetime) -> Ticket:
    ticket = _valid(locks.ticket_and_reservation_for_update(code))
    new = _replace(ticket, Reason.REISSUED, What.REISSUED, now, by=by.pk, why=why)
    tell_holder("TicketReissued", new, language="", now=now)
    return new


@transaction.atomic
def offer_ticket(
    *, code: str, fan_id: int, email: str, now: datetime, language: str = ""
) -> TransferOffer:
    """It stays the holder's, and valid, until somebody with this address accepts."""
    ticket, address = _own_valid(code, fan_id), User.objects.normalize_email(email)
    _require_transferable(ticket.event, now)
    if ticket.holder.email == address:
        raise errors.OfferToOneself()
    _require_few_offers(ticket, now)
    try:
        with transaction.atomic():
            offer = ticket.offers.create(email=address, language=language[:10], created_at=now)
    except IntegrityError:
        raise errors.OfferedAlready() from None
    note_change(ticket, What.OFFERED, now=now, by=fan_id, after=address)
    tell_receiver("TicketOffered", offer, now=now)
    return offer


@transaction.atomic
def withdraw_offer(*, code: str, fan_id: int, now: datetime) -> TransferOffer:
    """The holder thinks better of it. `code` is the ticket's."""
    ticket = locks.ticket_and_reservation_for_update(code, holder_id=fan_id)
    offer = ticket.offers.filter(state=Offer.OPEN).first()
    if offer is None:
        raise errors.NoOffer()
    offer = locks.offer_for_update(offer.code)
    offer.ticket = ticket
    tell_receiver("TicketTakenBack", offer, now=now)
    tell_giver("TicketKept", offer, now=now)
    return _end(offer, Offer.WITHDRAWN, What.WITHDRAWN, fan_id, now)


@transaction.atomic
def decline_offer(*, code: str, fan_id: int, now: datetime) -> TransferOffer:
    offer = _locked_offer(code, fan_id)
    tell_giver("TicketDeclined", offer, now=now)
    return _end(offer, Offer.DECLINED, What.DECLINED, fan_id, now)


@transaction.atomic
def accept_offer(*, code: str, fan_id: int, now: datetime, language: str = "") -> Ticket:
    """The ticket is the receiver's, if they may have one more of this event."""
    seen = selectors.open_offer_to(code, fan_id)
    locks.only_one_choice_of(event_id=seen.ticket.event_id, fan_id=fan_id)
    offer = _locked_offer(code, fan_id)
    ticket, receiver = _valid(offer.ticket), User.objects.get(pk=fan_id)
    _require_transferable(ticket.event, now)
    _require_room(ticket, fan_id)
    _finish(offer, Offer.ACCEPTED, now)
    whose: Any = {"holder_id": fan_id, "name": receiver.display_name}
    new = _replace(ticket, Reason.TRANSFERRED, What.TRANSFERRED, now, by=fan_id, **whose)
    tell_giver("TicketAccepted", offer, now=now)
    tell_holder("TicketReceived", new, language=language or offer.language, now=now)
    return new


def is_before(event: Event, hours: int | None, now: datetime) -> bool:
    """Whether it is still allowed by the event's rule; without one it never is."""
    return hours is not None and now < event.starts_at - timedelta(hours=hours)


def _own_valid(code: str, fan_id: int) -> Ticket:
    return _valid(locks.ticket_and_reservation_for_update(code.upper(), holder_id=fan_id))


def _valid(ticket: Ticket) -> Ticket:
    if ticket.state == State.USED:
        raise errors.TicketUsed()
    if ticket.state != State.VALID:
        raise errors.TicketNotValid()
    return ticket


def _require_transferable(event: Event, now: datetime) -> None:
    if not is_before(event, event.transfer_hours, now):
        raise errors.NotTransferable()


def _require_few_offers(ticket: Ticket, now: datetime) -> None:
    """Counted under the order's lock; a new code of the same seat does not begin anew."""
    of_the_seat = {"ticket__reservation": ticket.reservation_id, "ticket__seat": ticket.seat_id}
    lately = TransferOffer.objects.filter(**of_the_seat, created_at__gt=now - timedelta(days=1))
    if lately.count() >= OFFERS_A_DAY:
        raise errors.TooManyOffers(limit=OFFERS_A_DAY)


def _require_room(ticket: Ticket, fan_id: int) -> None:
    """Of their own order it is theirs already: coming back it changes nothing."""
    if ticket.reservation.fan_id == fan_id:
        return
    limit = ticket.event.seats_per_person
    left = limit - selectors.seats_counted(event_id=ticket.event_id, fan_id=fan_id)
    if left < 1:
        raise errors.TooManySeats(limit=limit, left=max(left, 0))


def _locked_offer(code: str, fan_id: int) -> TransferOffer:
    """Order, ticket, offer; whoever comes second finds it ended."""
    seen = selectors.open_offer_to(code, fan_id)
    ticket = locks.ticket_and_reservation_for_update(seen.ticket.code)
    offer = locks.offer_for_update(code, email=seen.email)
    offer.ticket = ticket
    return offer


def _end(offer: TransferOffer, to: Offer, what: What, fan_id: int, now: datetime) -> TransferOffer:
    _finish(offer, to, now)
    note_change(offer.ticket, what, now=now, by=fan_id, before=offer.email)
    return offer


def _finish(offer: TransferOffer, to: Offer, now: datetime) -> None:
    offer.move_to(to)
    offer.ended_at = now
    offer.save(update_fields=["state", "ended_at"])


def _replace(
    old: Ticket,
    reason: Reason,
    what: What,
    now: datetime,
    *,
    by: int,
    why: str = "",
    **other: Any,
) -> Ticket:
    """Void first: a seat has one live ticket at a time."""
    old.move_to(State.VOID)
    old.reason, old.ended_at = reason, now
    old.save(update_fields=["state", "reason", "ended_at"])
    _take_back_offers(old, now)
    same = {"reservation_id", "event_id", "seat_id", "holder_id", "name"}
    new = Ticket.objects.create(
        **{name: getattr(old, name) for name in same} | other,
        serial=old.serial + 1,
        replaces=old,
        created_at=now,
    )
    before, after = f"{old.code} {old.name}", f"{new.code} {new.name}"
    note_change(new, what, now=now, by=by, before=before, after=after, why=why)
    return new


def _take_back_offers(old: Ticket, now: datetime) -> None:
    """What is not there any more can't be accepted; whoever was offered it hears that."""
    for offer in old.offers.filter(state=Offer.OPEN):
        offer.ticket = old
        _finish(offer, Offer.WITHDRAWN, now)
        tell_receiver("TicketTakenBack", offer, now=now)
