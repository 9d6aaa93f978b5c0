"""Rename, reissue and transfer tickets: each makes a new ticket, and voids the old QR code."""

from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction

from reservations import errors, locks
from reservations.models import Ticket, TicketChange, TransferOffer
from reservations.selectors import tickets as selectors
from reservations.services.ticket_notifications import notify_giver, notify_holder, notify_receiver
from reservations.services.tickets import record_change
from ticketing.accounts import selectors as accounts
from ticketing.accounts.models import User
from ticketing.events.models import Event
from ticketing.events.selectors import require_own_sale
from ticketing.events.services import require_identity

State = Ticket.State
Reason = Ticket.Reason
What = TicketChange.What
OfferState = TransferOffer.State
# Each offer is a mail to somebody who did not ask for it.
OFFERS_PER_DAY = 5


@transaction.atomic
def rename_ticket(
    *, code: str, fan_id: int, name: str, now: datetime, language: str = ""
) -> Ticket:
    """Change the name on a ticket, as long as the event allows."""
    ticket = _own_valid(code, fan_id)
    if not is_before(ticket.event, ticket.event.rename_hours, now):
        raise errors.NotRenamable()
    new = _replace(ticket, Reason.RENAMED, What.RENAMED, now, by=fan_id, name=name)
    notify_holder("TicketRenamed", new, language=language, now=now, before=ticket.name)
    return new


@transaction.atomic
def reissue_ticket(*, code: str, fan_id: int, now: datetime, language: str = "") -> Ticket:
    """Issue a new code, for a holder who fears that somebody has a copy."""
    ticket = _own_valid(code, fan_id)
    new = _replace(ticket, Reason.REISSUED, What.REISSUED, now, by=fan_id)
    notify_holder("TicketReissued", new, language=language, now=now)
    return new


@transaction.atomic
def reissue_by_operator(*, code: str, by: User, why: str, now: datetime) -> Ticket:
    ticket = _valid(locks.ticket_and_reservation_for_update(code))
    new = _replace(ticket, Reason.REISSUED, What.REISSUED, now, by=by.pk, why=why)
    notify_holder("TicketReissued", new, language="", now=now)
    return new


@transaction.atomic
def offer_ticket(
    *, code: str, fan_id: int, email: str, now: datetime, language: str = ""
) -> TransferOffer:
    """Offer a ticket by e-mail; it stays the holder's, and valid, until it is accepted."""
    ticket, address = _own_valid(code, fan_id), User.objects.normalize_email(email)
    _require_transferable(ticket.event, now)
    if ticket.holder.email == address:
        raise errors.OfferToSelf()
    # Counted per seat under the order's lock, so that a reissued ticket does not reset it.
    same_seat = {"ticket__reservation": ticket.reservation_id, "ticket__seat": ticket.seat_id}
    recent = TransferOffer.objects.filter(**same_seat, created_at__gt=now - timedelta(days=1))
    if recent.count() >= OFFERS_PER_DAY:
        raise errors.TooManyOffers(limit=OFFERS_PER_DAY)
    try:
        with transaction.atomic():
            offer = ticket.offers.create(email=address, language=language[:10], created_at=now)
    except IntegrityError:
        raise errors.AlreadyOffered() from None
    record_change(ticket, What.OFFERED, now=now, by=fan_id, after=address)
    notify_receiver("TicketOffered", offer, now=now)
    return offer


@transaction.atomic
def withdraw_offer(*, code: str, fan_id: int, now: datetime) -> TransferOffer:
    """Withdraw the open offer of a ticket. `code` is the ticket's."""
    ticket = locks.ticket_and_reservation_for_update(code, holder_id=fan_id)
    offer = ticket.offers.filter(state=OfferState.OPEN).first()
    if offer is None:
        raise errors.NoOffer()
    offer = locks.offer_for_update(offer.code)
    offer.ticket = ticket
    notify_receiver("TicketTakenBack", offer, now=now)
    notify_giver("TicketKept", offer, now=now)
    return _end_offer(offer, OfferState.WITHDRAWN, What.WITHDRAWN, fan_id, now)


@transaction.atomic
def decline_offer(*, code: str, fan_id: int, now: datetime) -> TransferOffer:
    accounts.require_confirmed(fan_id)
    offer = _locked_offer(code, fan_id)
    notify_giver("TicketDeclined", offer, now=now)
    return _end_offer(offer, OfferState.DECLINED, What.DECLINED, fan_id, now)


@transaction.atomic
def accept_offer(*, code: str, fan_id: int, now: datetime, language: str = "") -> Ticket:
    """Transfer the ticket to the receiver, if their limit for the event allows."""
    seen = selectors.open_offer_to(code, fan_id)
    require_own_sale(event_id=seen.ticket.event_id, person_id=fan_id)
    accounts.require_confirmed(fan_id)
    require_identity(event_id=seen.ticket.event_id, person_id=fan_id)
    locks.lock_person_limit(event_id=seen.ticket.event_id, fan_id=fan_id)
    offer = _locked_offer(code, fan_id)
    ticket, receiver = _valid(offer.ticket), User.objects.get(pk=fan_id)
    _require_transferable(ticket.event, now)
    _require_limit(ticket, fan_id)
    _close_offer(offer, OfferState.ACCEPTED, now)
    whose: Any = {"holder_id": fan_id, "name": receiver.display_name}
    new = _replace(ticket, Reason.TRANSFERRED, What.TRANSFERRED, now, by=fan_id, **whose)
    notify_giver("TicketAccepted", offer, now=now)
    notify_holder("TicketReceived", new, language=language or offer.language, now=now)
    return new


def is_before(event: Event, hours: int | None, now: datetime) -> bool:
    """Whether it is more than `hours` before the event; never if `hours` is None."""
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


def _require_limit(ticket: Ticket, fan_id: int) -> None:
    """A ticket of the fan's own order counts for them already, even if transferred away."""
    if ticket.reservation.fan_id == fan_id:
        return
    limit = ticket.event.seats_per_person
    left = limit - selectors.seats_counted(event_id=ticket.event_id, fan_id=fan_id)
    if left < 1:
        raise errors.TooManySeats(limit=limit, left=max(left, 0))


def _locked_offer(code: str, fan_id: int) -> TransferOffer:
    """Lock order, ticket and offer; whoever comes second finds no open offer."""
    seen = selectors.open_offer_to(code, fan_id)
    ticket = locks.ticket_and_reservation_for_update(seen.ticket.code)
    offer = locks.offer_for_update(code, email=seen.email)
    offer.ticket = ticket
    return offer


def _end_offer(
    offer: TransferOffer, to: OfferState, what: What, fan_id: int, now: datetime
) -> TransferOffer:
    _close_offer(offer, to, now)
    record_change(offer.ticket, what, now=now, by=fan_id, before=offer.email)
    return offer


def _close_offer(offer: TransferOffer, to: OfferState, now: datetime) -> None:
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
    """Void the ticket and issue a new one; in this order, as a seat has one live ticket."""
    old.move_to(State.VOID)
    old.reason, old.ended_at = reason, now
    old.save(update_fields=["state", "reason", "ended_at"])
    _withdraw_offers(old, now)
    same = {"reservation_id", "event_id", "seat_id", "holder_id", "name", "entry_number"}
    new = Ticket.objects.create(
        **{name: getattr(old, name) for name in same} | other,
        serial=old.serial + 1,
        replaces=old,
        created_at=now,
    )
    before, after = f"{old.code} {old.name}", f"{new.code} {new.name}"
    record_change(new, what, now=now, by=by, before=before, after=after, why=why)
    return new


def _withdraw_offers(old: Ticket, now: datetime) -> None:
    """End the open offers of a void ticket and notify their receivers."""
    for offer in old.offers.filter(state=OfferState.OPEN):
        offer.ticket = old
        _close_offer(offer, OfferState.WITHDRAWN, now)
        notify_receiver("TicketTakenBack", offer, now=now)
