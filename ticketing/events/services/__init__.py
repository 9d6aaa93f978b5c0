from ticketing.events.locks import event_for_update
from ticketing.events.services.approvals import (
    GUARDED_MOVES,
    block_seats_by_operator,
    expire_approvals,
    finish_approval,
    move_event_by_operator,
    refuse_approval,
    require_approval,
    take_approval,
)
from ticketing.events.services.entry_rules import (
    KnownPerson,
    aentry_rule,
    arequire_identity,
    entry_rule,
    require_identity,
)
from ticketing.events.services.events import (
    move_event,
    open_due_sales,
    sell_without_line,
)
from ticketing.events.services.seats import (
    block_seats,
    create_seats,
    next_seats_version,
    release_seats,
)
