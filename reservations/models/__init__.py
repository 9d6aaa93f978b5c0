from reservations.models.reservations import (
    HoldRequest,
    RequestedSeat,
    Reservation,
    ReservationChange,
    ReservedSeat,
    new_code,
)
from reservations.models.standby import ReturnedSeat, StandbyChange, StandbyEntry, StandbyList
from reservations.models.tickets import CheckIn, Ticket, TicketChange, TransferOffer

__all__ = [
    "CheckIn",
    "HoldRequest",
    "RequestedSeat",
    "Reservation",
    "ReservationChange",
    "ReservedSeat",
    "ReturnedSeat",
    "StandbyChange",
    "StandbyEntry",
    "StandbyList",
    "Ticket",
    "TicketChange",
    "TransferOffer",
    "new_code",
]
