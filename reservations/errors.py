"""Refusals of reservations, tickets and standby lists."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Self, TypeGuard

from django.utils.translation import gettext_lazy as _

from ticketing.core.errors import Broken, DomainError, InvalidInput, NotAllowed, NotFound


@dataclass(frozen=True)
class TakenSeat:
    """Why a seat can't be had: sold, held, tried (by somebody at this moment) or unavailable."""

    seat: int
    why: str
    until: datetime | None = None  # when a held seat may be free again


class SeatsTaken(DomainError):
    """Somebody else has `seats` or is trying; `taken` says for each of them why and until when."""

    code = "seat_taken"
    status = 409
    message = _("Someone else was faster.")
    advice = _("Choose other seats. None of your selected seats is held now.")

    @classmethod
    def because(cls, found: Iterable[TakenSeat]) -> Self:
        reasons = list(found)
        return cls(seats=[one.seat for one in reasons], taken=[_reason(one) for one in reasons])


def _reason(taken: TakenSeat) -> dict[str, Any]:
    """As text, because a refusal may be stored and is sent as JSON."""
    until = taken.until.astimezone(UTC).isoformat() if taken.until else None
    return {"seat": taken.seat, "why": taken.why, "until": until}


class SeatsBusy(DomainError):
    """Their rows stayed locked by others for longer than the lock timeout."""

    code = "seats_busy"
    status = 409
    message = _("Another buyer is choosing these seats.")
    advice = _("Try again in a moment, or choose others.")
    retry_after = 1


class SoldOut(DomainError):
    code = "sold_out"
    status = 409
    message = _("There are no seats left.")
    advice = _("Seats held by others may become available in the next few minutes.")
    retry_after = 10


class BlockedFromBuying(NotAllowed):
    """An operator blocked the person in the queue of this event."""

    code = "blocked"
    message = _("You were removed from this sale, so these seats can't be paid for.")
    advice = _("The waiting page says why, and how to object.")


class NotOnSale(DomainError):
    code = "not_on_sale"
    status = 409
    message = _("This event is not on sale now.")


class TooManySeats(DomainError):
    """`limit` seats per person, of which `left` remain."""

    code = "too_many_seats"
    status = 409
    message = _(
        "The limit is %(limit)s seats per person for this event; you can add %(left)s more."
    )
    advice = _("Seats in your other orders count too. Release some, or choose fewer.")


class NotTogether(DomainError):
    """Best available: there are not enough free seats side by side."""

    code = "not_together"
    status = 409
    message = _("There are not %(quantity)s seats available together.")
    advice = _("Try fewer seats, another price, or choose them one by one.")


class NotEnoughPlaces(DomainError):
    code = "not_enough_places"
    status = 409
    message = _("There are not %(quantity)s places available there.")
    advice = _("Try fewer, or another section.")


class LeavesOrphan(DomainError):
    """`seats` are the orphans that the choice would leave."""

    code = "leaves_orphan"
    status = 409
    message = _("This choice would leave a single empty seat.")
    advice = _("Move your choice by one seat, so that no seat is left alone.")


class CompanionAlone(DomainError):
    code = "companion_alone"
    status = 409
    message = _("A companion seat is only sold with the wheelchair space beside it.")
    advice = _("Choose both, or other seats.")


class HoldExpired(DomainError):
    """The deadline of the hold has passed."""

    code = "hold_over"
    status = 409
    message = _("The time for these seats is up.")
    advice = _("Choose again: they may still be free.")


class SeatsOfAnotherEvent(InvalidInput):
    """Some seats belong to another event; has the code of any invalid input."""

    message = _("Some of these are not seats of this event.")


class AsyncNeedsNamedSeats(InvalidInput):
    """Best seats cannot be requested asynchronously: they are known only at the moment."""

    message = _("Only named seats can be asked for asynchronously.")


class BadPaymentToken(DomainError):
    """Not signed by us, for another person or reservation, or expired."""

    code = "bad_payment_token"
    status = 403
    message = _("This payment token is not valid.")
    advice = _("Load your reservation again: it comes with a new one.")


class NotOnStandby(NotFound):
    """The event has no list, or the person is not on it."""

    code = "no_standby"
    message = _("You are not on a standby list of this event.")


class NotSoldOut(DomainError):
    code = "not_sold_out"
    status = 409
    message = _("There is no standby list: this event has not been sold out.")
    advice = _("Choose from the available seats.")


class StandbyClosed(DomainError):
    """The event has no standby list, or no longer."""

    code = "standby_over"
    status = 409
    message = _("This event has no standby list now.")
    advice = _("The event page says what happens to returned seats.")


class OnlyFewerSeats(DomainError):
    """To ask for more, a fan leaves and joins again at the end."""

    code = "only_fewer_seats"
    status = 409
    message = _("On the standby list you can only ask for fewer seats than before.")
    advice = _("To ask for more, leave the list and join again at its end.")


class NoReservation(NotFound):
    code = "no_reservation"
    message = _("You have no such reservation.")


class NoTicket(NotFound):
    code = "no_ticket"
    message = _("You have no such ticket.")


class NoOffer(NotFound):
    """For somebody else, or ended: accepted, declined, withdrawn, or the ticket is void."""

    code = "no_offer"
    message = _("There is no such offer for you any more.")


class TicketUsed(DomainError):
    """A used ticket cannot be transferred, changed or refunded."""

    code = "ticket_used"
    status = 409
    message = _("Somebody has already gone in with one of these tickets.")
    advice = _("If that was a mistake, the staff at the door can undo it.")


class TicketNotValid(DomainError):
    """The ticket is void or being refunded."""

    code = "ticket_not_valid"
    status = 409
    message = _("This ticket is no longer valid.")


class NoEntryNumbers(NotFound):
    code = "no_entry_numbers"
    message = _("This section has no entry numbers.")


class TicketTransferred(DomainError):
    """Tickets of the order were transferred: only an operator can cancel it."""

    code = "handed_over"
    status = 409
    message = _("You gave a ticket of this order to somebody else.")
    advice = _("It has to come back to you before the order can be cancelled.")


class NotTransferable(DomainError):
    code = "not_transferable"
    status = 409
    message = _("Tickets for this event can't be transferred, or can't be transferred any more.")


class NotRenamable(DomainError):
    code = "not_renamable"
    status = 409
    message = _("Names on tickets for this event can't be changed, or can't be changed any more.")


class OfferToSelf(InvalidInput):
    message = _("This is your own address.")


class AlreadyOffered(DomainError):
    code = "offered_already"
    status = 409
    message = _("This ticket is offered to somebody already.")
    advice = _("Withdraw that offer first.")


class TooManyOffers(DomainError):
    code = "too_many_offers"
    status = 429
    message = _("This ticket was offered to several people within a day.")
    advice = _("Try again tomorrow.")


class NoCheckIn(NotFound):
    code = "no_check_in"
    message = _("There is no such check-in to undo.")


class TooLateToUndo(DomainError):
    """`minutes` is how long a check-in can be undone."""

    code = "too_late_to_undo"
    status = 409
    message = _("A check-in can be undone for %(minutes)s minutes only.")


def error_from_code(*, code: str, details: dict[str, Any]) -> DomainError:
    """The error with this code, so that a stored refusal is shown in the reader's language."""
    kinds = {kind.code: kind for kind in (*globals().values(), Broken) if _is_error(kind)}
    return kinds.get(code, DomainError)(**details)


def _is_error(thing: object) -> TypeGuard[type[DomainError]]:
    return isinstance(thing, type) and issubclass(thing, DomainError)
