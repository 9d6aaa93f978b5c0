from ticketing.rehearsal.selectors.books import books
from ticketing.rehearsal.selectors.facts import facts, is_settled
from ticketing.rehearsal.selectors.rehearsals import (
    code_under_way,
    next_sale,
    rehearsal_by_code,
    sale_setting,
    setting,
)
from ticketing.rehearsal.selectors.sale import (
    KNOBS,
    is_closed_and_unarchived,
    journal,
    knobs,
    late_charges,
    seats_by_state,
    snapshot,
    unknown_charges,
)
