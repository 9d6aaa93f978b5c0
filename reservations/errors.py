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


class NoReservation(NotFound):
    code = "no_reservation"
    message = _("You have no such reservation.")


def refusal_of(*, code: str, details: dict[str, Any]) -> DomainError:
    """A refusal that was stored, to be told in the language of whoever reads it."""
    kinds = {kind.code: kind for kind in globals().values() if _is_error(kind)}
    return kinds.get(code, DomainError)(**details)


def _is_error(thing: object) -> TypeGuard[type[DomainError]]:
    return isinstance(thing, type) and issubclass(thing, DomainError)
