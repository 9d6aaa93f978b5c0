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
