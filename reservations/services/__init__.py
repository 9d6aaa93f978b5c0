from reservations.services.ending import (
    expire_holds,
    leave,
    release,
    release_by_operator,
    release_holds_of_the_gone,
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
from reservations.tokens import payment_token, require_payment_token

__all__ = [
    "ahold",
    "any_places",
    "cancel",
    "confirm",
    "contradictions",
    "expire_holds",
    "extend_for_payment",
    "hold",
    "hold_best",
    "hold_places",
    "hold_seats",
    "leave",
    "lock_for_payment",
    "payment_token",
    "rebuild_gate",
    "recount_sales",
    "recount_seats",
    "refund",
    "release",
    "release_by_operator",
    "release_holds_of_the_gone",
    "request_seats",
    "require_payment_token",
    "resume_hold",
    "the_best",
    "these",
    "work_off_requests",
]
