from reservations.services.checking_in import Scan, check_in, check_in_all, undo_check_in
from reservations.services.ending import (
    expire_holds,
    leave,
    release,
    release_by_operator,
    release_holds_of_the_gone,
)
from reservations.services.handing_over import (
    accept_offer,
    decline_offer,
    offer_ticket,
    reissue_by_operator,
    reissue_ticket,
    rename_ticket,
    withdraw_offer,
)
from reservations.services.holding import (
    ahold,
    any_places,
    hold,
    hold_best,
    hold_places,
    hold_seats,
    the_best,
    these,
)
from reservations.services.issuing import (
    give_tickets_back,
    is_used,
    issue_missing,
    set_tickets_aside,
)
from reservations.services.offering import (
    bring_seats_back,
    offer_next,
    release_returned,
    settle_offers,
)
from reservations.services.paying import (
    cancel,
    confirm,
    extend_for_payment,
    lock_for_payment,
    refund,
    resume_hold,
)
from reservations.services.reconciling import (
    contradictions,
    rebuild_gate,
    recount_sales,
    recount_seats,
)
from reservations.services.requesting import request_seats, work_off_requests
from reservations.services.standing_by import (
    ask_for_fewer,
    join_standby,
    leave_standby,
    remove_from_standby,
)
from reservations.tokens import payment_token, require_payment_token
