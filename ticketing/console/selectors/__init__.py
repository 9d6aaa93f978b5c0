from ticketing.console.selectors.approvals import (
    answer_reason,
    approval_of,
    approvals,
    open_approvals,
)
from ticketing.console.selectors.changes import (
    autopilot_of,
    autopilot_steps,
    open_appeals,
    recent_changes,
)
from ticketing.console.selectors.database import database_connections, database_times
from ticketing.console.selectors.people import PersonHistory, person_history
from ticketing.console.selectors.sales import (
    RUNNING,
    SAMPLE_SECONDS,
    coming_queues,
    event_of,
    queue_of,
    room_for,
    running_queues,
    sale_counts,
    stored_samples,
)
from ticketing.console.store import ping_ms, processes
