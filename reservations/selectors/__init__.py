"""What can be read of reservations, tickets and standby lists; nothing here writes."""

from reservations.selectors.orders import Order, orders_by_code
from reservations.selectors.orphans import forbidden_orphans, forbids_orphans
from reservations.selectors.reservations import (
    OwnSeat,
    ReservationWithSeats,
    abandoned_holds,
    bought_since,
    fans_with_seats,
    live_holds,
    own_hold_request,
    own_reservation,
    own_reservations,
    own_reservations_in,
    own_seats,
    reservation_with_seats,
    seat_names,
    with_seats,
)
from reservations.selectors.tickets import order_files, ticket_by_code, tickets_of_order
from reservations.tickets.labels import seat_label
