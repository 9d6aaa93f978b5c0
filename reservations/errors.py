"""What can be so about seats that somebody wants."""

from typing import Any, TypeGuard

from django.utils.translation import gettext_lazy as _

from ticketing.core.errors import DomainError, InvalidInput, NotFound


class SeatsTaken(DomainError):
    """Somebody else has them, or is getting them this very moment; `seats` says which."""

    code = "seat_taken"
    status = 409
    message = _("Somebody else was faster.")
    advice = _("Choose other seats. None of yours is held now.")


class SeatsBusy(DomainError):
    """Their rows are locked by others for longer than anybody should wait."""

    code = "seats_busy"
    status = 409
    message = _("Another buyer is choosing these seats.")
    advice = _("Try again in a moment, or choose others.")
    retry_after = 1


class SoldOut(DomainError):
    code = "sold_out"
    status = 409
    message = _("There are no seats left.")
    advice = _("Seats that others hold may come back in the next minutes.")
    retry_after = 10


class NotOnSale(DomainError):
    code = "not_on_sale"
    status = 409
    message = _("This event is not on sale now.")


class TooManySeats(DomainError):
    """`limit` seats a person in all, of which `left` remain."""

    code = "too_many_seats"
    status = 409
    message = _(
        "Each person can have at most %(limit)s seats of this event; you can take %(left)s more."
    )
    advice = _("Seats in your other orders count too. Give some back, or choose fewer.")


class NotTogether(DomainError):
    """Best available: there are seats, but not so many side by side."""

    code = "not_together"
    status = 409
    message = _("There are no %(quantity)s free seats side by side.")
    advice = _("Try fewer seats, another price, or choose them one by one.")


class NotEnoughPlaces(DomainError):
    code = "not_enough_places"
    status = 409
    message = _("There are no %(quantity)s free places there.")
    advice = _("Try fewer, or another section.")


class LeavesOrphan(DomainError):
    """`seats` are the ones that would be left alone."""

    code = "leaves_orphan"
    status = 409
    message = _("This choice would leave a single empty seat.")
    advice = _("Move your choice by one seat, so that no seat is left alone.")


class CompanionAlone(DomainError):
    code = "companion_alone"
    status = 409
    message = _("A companion's seat goes with the wheelchair place beside it.")
    advice = _("Choose both, or other seats.")


class HoldOver(DomainError):
    """The time to decide is up."""

    code = "hold_over"
    status = 409
    message = _("The time for these seats is up.")
    advice = _("Choose again: they may still be free.")


class SeatsElsewhere(InvalidInput):
    """Some of the seats are not the event's; the same code as any input that can't be used."""

    message = _("Some of these are not seats of this event.")


class OnlySeatsLater(InvalidInput):
    """An asynchronous request waits for named seats; the best are known only at the moment."""

    message = _("Only named seats can be asked for asynchronously.")


class BadPaymentToken(DomainError):
    """Not ours, not for this person and these seats, or too old."""

    code = "bad_payment_token"
    status = 403
    message = _("This payment token is not valid.")
    advice = _("Load your reservation again: it comes with a new one.")


class NoStandby(NotFound):
    """This event keeps no list, or the person is not on it."""

    code = "no_standby"
    message = _("You are not on a standby list of this event.")


class NotSoldOut(DomainError):
    code = "not_sold_out"
    status = 409
    message = _("There is no standby list: this event has not been sold out.")
    advice = _("Choose among the seats that are free.")


class StandbyOver(DomainError):
    """The event keeps no list, or no longer."""

    code = "standby_over"
    status = 409
    message = _("This event has no standby list now.")
    advice = _("Its page says what happens to seats that come back.")


class OnlyFewerSeats(DomainError):
    """Whoever wants more leaves, and joins again behind everybody."""

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
    """Not for this person, or no longer: accepted, declined, withdrawn, or the ticket is gone."""

    code = "no_offer"
    message = _("There is no such offer for you any more.")


class TicketUsed(DomainError):
    """Somebody went in with it: it can't be given away, changed or refunded any more."""

    code = "ticket_used"
    status = 409
    message = _("Somebody has already gone in with one of these tickets.")
    advice = _("If that was a mistake, the staff at the door can undo it.")


class TicketNotValid(DomainError):
    """It is void, or its money is on the way back."""

    code = "ticket_not_valid"
    status = 409
    message = _("This ticket is no longer valid.")


class HandedOver(DomainError):
    """Tickets of the order belong to others now: only an operator can undo that."""

    code = "handed_over"
    status = 409
    message = _("You gave a ticket of this order to somebody else.")
    advice = _("It has to come back to you before the order can be cancelled.")


class NotTransferable(DomainError):
    code = "not_transferable"
    status = 409
    message = _("Tickets of this event can't be given to others, or no longer.")


class NotRenamable(DomainError):
    code = "not_renamable"
    status = 409
    message = _("Names on tickets of this event can't be changed, or no longer.")


class OfferToOneself(InvalidInput):
    message = _("This is your own address.")


class OfferedAlready(DomainError):
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


def refusal_of(*, code: str, details: dict[str, Any]) -> DomainError:
    """A refusal that was stored, to be told in the language of whoever reads it."""
    kinds = {kind.code: kind for kind in globals().values() if _is_error(kind)}
    return kinds.get(code, DomainError)(**details)


def _is_error(thing: object) -> TypeGuard[type[DomainError]]:
    return isinstance(thing, type) and issubclass(thing, DomainError)
