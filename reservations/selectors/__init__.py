"""What can be read of reservations, tickets and standby lists; nothing here writes."""

from reservations.selectors.entry_numbers import (
    events_to_number,
    has_entry_numbers,
    numbered_sections,
    section_calls,
)
from reservations.selectors.orders import Order, orders_by_code
from reservations.selectors.orphans import forbidden_orphans, forbids_orphans
from reservations.selectors.reservations import (
    OwnSeat,
    ReservationWithSeats,
    abandoned_holds,
    bought_since,
    cancelled_seats,
    fans_with_seats,
    has_seats_to_come,
    live_holds,
    own_hold_request,
    own_reservation,
    own_reservations,
    own_reservations_in,
    own_seats,
    people_at_limit,
    reservation_with_seats,
    seat_names,
    taken_seats,
    with_seats,
)
from reservations.selectors.tickets import (
    listed_tickets,
    order_files,
    ticket_by_code,
    tickets_by_seat,
    tickets_of_order,
)
from reservations.tickets.labels import seat_and_grade_label, seat_details_label, seat_label
