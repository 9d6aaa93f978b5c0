from waiting_queue.selectors.appeals import last_appeal, may_appeal
from waiting_queue.selectors.draw_verification import draw_checks, drawn_order, seed_hash
from waiting_queue.selectors.draws import (
    draw_file,
    entry_of,
    is_draw_finished,
    own_entry,
    public_draw,
    published_draw,
)
from waiting_queue.selectors.outlook import outlook_of
from waiting_queue.selectors.people import (
    PersonInQueue,
    people_inside,
    person_in_queue,
    user_by_email_or_number,
    user_with_email,
)
from waiting_queue.selectors.queue_overviews import Overview, overview, overviews, queue_warnings
from waiting_queue.selectors.queues import (
    block_reason,
    current_notice,
    current_queue,
    public_queue,
    public_queues,
)
from waiting_queue.selectors.standings import (
    LIVE,
    Pace,
    eta_of,
    missing_line_error,
    new_token,
    next_poll_ms,
    standing_body,
)
