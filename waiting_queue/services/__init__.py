from waiting_queue.services.appeals import (
    appeal,
    last_appeal,
    lift_appeal,
    may_appeal,
    refuse_appeal,
)
from waiting_queue.services.checking import check_draw
from waiting_queue.services.drawing import draw_lobby, drawn_order, published_draw, seed_hash
from waiting_queue.services.fans import (
    aclaim,
    ajoin,
    aleave,
    arequire_turn,
    astanding,
    claim,
    complete,
    join,
    known_standing,
    leave,
    require_admission,
    require_turn,
    standing,
    token_of,
)
from waiting_queue.services.journal import (
    archive_queue,
    drain_journal,
    drain_journals,
    rebuild_queue,
)
from waiting_queue.services.knob_words import knobs_from_words
from waiting_queue.services.no_line import (
    aexplain_no_line,
    explain_no_line,
    no_line_reason,
    require_open_sale,
)
from waiting_queue.services.notices import notice_of, tell_everyone
from waiting_queue.services.operating import (
    changeable_knobs,
    create_queue,
    move_queue,
    restore_line,
    set_knobs,
)
from waiting_queue.services.people import (
    block,
    find_person,
    kick,
    person_called,
    person_with_email,
    unblock,
)
from waiting_queue.services.public_draw import (
    draw_file,
    draw_is_over,
    own_entry,
    public_draw,
    public_queue,
)
from waiting_queue.services.public_line import line_of, lines_in, why_blocked
from waiting_queue.services.pulsing import aannouncements, announcements, send_closing_pulse
from waiting_queue.services.ticking import tick_open_queues
from waiting_queue.services.watching import Overview, overview, overviews, warnings_of
