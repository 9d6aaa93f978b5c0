from reservations.models.reservations import (
    HoldRequest,
    PassMove,
    RequestedSeat,
    Reservation,
    ReservationChange,
    new_code,
)
from reservations.models.seats import CancelledSeat, ReservedSeat
from reservations.models.standby import ReturnedSeat, StandbyChange, StandbyEntry, StandbyList
from reservations.models.tickets import CheckIn, EntryCall, Ticket, TicketChange, TransferOffer
