"""The queue in Redis. Everything that reads or writes it is offered here."""

from waiting_queue.store.bulk import (
    add_memberships,
    aheartbeat_all,
    apeek_all,
    batched,
    block_reason,
    delete_journal_entries,
    delete_meta,
    epoch_of,
    erase,
    events_with_journal,
    has_meta,
    journal_entries,
    line_numbers,
    lobby_people,
    people_inside,
    person_with_number,
    restore,
    restore_blocks,
    restore_counts,
    unblock,
)
from waiting_queue.store.line import (
    add_membership,
    claim,
    configure,
    draw,
    heartbeat,
    join,
    leave,
    peek,
    poll,
    remove_membership,
    restore_place,
    snapshot,
    tick,
    tick_message,
)
from waiting_queue.store.messages import (
    alast_tick_message,
    last_tick_message,
    publish_tick_messages,
    subscribe_to_tick_messages,
)
from waiting_queue.store.overload import areport_behind, is_behind
from waiting_queue.store.results import Rules, ScriptResult, Standing, TickResult, ms
from waiting_queue.store.scripts import ScriptCall, arun, arun_all, run, run_all, run_each
