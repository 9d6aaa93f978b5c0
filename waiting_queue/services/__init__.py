from waiting_queue.locks import queue_for_update
from waiting_queue.services.appeals import lift_appeal, refuse_appeal, submit_appeal
from waiting_queue.services.audit_log import record_change
from waiting_queue.services.draws import draw_lobby
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
from waiting_queue.services.knob_parsing import parse_knobs
from waiting_queue.services.no_line import (
    aexplain_no_line,
    explain_no_line,
    no_line_reason,
    require_open_sale,
)
from waiting_queue.services.notices import set_notice
from waiting_queue.services.overload import report_behind
from waiting_queue.services.people import PERSON_ACTIONS, block, kick, unblock
from waiting_queue.services.queues import (
    changeable_knobs,
    create_queue,
    move_queue,
    rebuild_queue_on_request,
    set_knobs,
)
from waiting_queue.services.tick_messages import aannouncements, announcements, send_closing_message
from waiting_queue.services.ticks import maintain_queue, tick_open_queues
