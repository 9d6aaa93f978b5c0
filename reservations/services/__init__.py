"""What can be done with reservations, tickets and standby lists."""

from reservations.locks import SeatChoice, extension_sql, sale_sql, sale_values
from reservations.services.async_holds import process_hold_requests
from reservations.services.check_ins import Scan, check_in, check_in_batch, undo_check_in
from reservations.services.entry_numbers import assign_entry_numbers, call_numbers
from reservations.services.hold_requests import (
    ahold_or_request,
    arequest_hold,
    hold_or_request,
    request_hold,
)
from reservations.services.holds import ahold_seats, hold_seats
from reservations.services.passes import atake_over, take_over
from reservations.services.purchases import (
    apublish_extension,
    apublish_sale,
    cancel,
    cancel_seats,
    confirm,
    extend_for_payment,
    lock_for_payment,
    refund,
    require_payable,
    resume_hold,
)
from reservations.services.reconciliation import (
    inconsistent_seats,
    rebuild_gate,
    recount_events_on_sale,
    recount_seats,
)
from reservations.services.releases import (
    complete_finished_passes,
    expire_holds,
    leave,
    mark_people_at_limit,
    release,
    release_abandoned_holds,
    release_by_operator,
)
from reservations.services.signals import (
    offer_missed,
    removed_from_standby,
    seats_offered,
    ticket_notification,
)
from reservations.services.sold_out import update_sold_out
from reservations.services.standby_entries import (
    ask_for_fewer,
    join_standby,
    leave_standby,
    remove_from_standby,
)
from reservations.services.standby_offers import (
    offer_next,
    process_returned_seats,
    release_returned,
    settle_offers,
)
from reservations.services.tickets import (
    has_used_tickets,
    issue_missing_tickets,
    restore_tickets,
    suspend_tickets,
)
from reservations.services.transfers import (
    accept_offer,
    decline_offer,
    offer_ticket,
    reissue_by_operator,
    reissue_ticket,
    rename_ticket,
    withdraw_offer,
)
from reservations.tokens import payment_token, require_payment_token
