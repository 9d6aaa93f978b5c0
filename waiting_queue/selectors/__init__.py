from waiting_queue.keys import number_label
from waiting_queue.selectors.appeals import last_appeal, may_appeal
from waiting_queue.selectors.draw_verification import (
    derived_seed,
    draw_checks,
    drawn_order,
    lobby_hash,
    text_hash,
)
from waiting_queue.selectors.draws import (
    draw_file,
    draw_version,
    entry_of,
    is_draw_final,
    own_entry,
    public_draw,
    published_draw,
)
from waiting_queue.selectors.lanes import (
    LaneLimits,
    LaneShare,
    called_by_lane,
    key_counts,
    key_rows,
    lane_limits,
    lane_names,
    lane_offers,
    lane_shares,
    lanes_of,
    offer_label,
)
from waiting_queue.selectors.outlook import outlook_of
from waiting_queue.selectors.people import (
    PersonInQueue,
    lines_of,
    people_inside,
    people_listed,
    person_in_queue,
    user_by_email_or_number,
    user_with_email,
)
from waiting_queue.selectors.place_signals import signals_of_places
from waiting_queue.selectors.queue_overviews import (
    Overview,
    journal_age,
    overview,
    overviews,
    queue_warnings,
)
from waiting_queue.selectors.queues import (
    block_reason,
    current_notice,
    current_queue,
    open_lines_of_identities,
    public_queue,
    public_queues,
)
from waiting_queue.selectors.sales import (
    NOT_BEGUN,
    STATUSES,
    STOPPED,
    move_needs_approval,
    require_sale_move,
    sale_moves,
    sale_status,
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
from waiting_queue.selectors.tick_queues import running_queues
from waiting_queue.selectors.waiting_pages import Content, page_content, published_page
from waiting_queue.store import own_invitation
