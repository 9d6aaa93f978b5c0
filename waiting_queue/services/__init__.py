from waiting_queue.locks import queue_for_update
from waiting_queue.services.appeals import lift_appeal, refuse_appeal, submit_appeal
from waiting_queue.services.audit_log import (
    DEMOTED,
    EVIDENCE,
    GROUP,
    people_of_groups,
    record_change,
)
from waiting_queue.services.bypasses import add_bypass, end_bypass, reconcile_bypasses
from waiting_queue.services.challenges import Newcomer
from waiting_queue.services.demotions import (
    demote,
    demote_people,
    reconcile_demotions,
    undo_demotion,
)
from waiting_queue.services.draw_secrets import renew_keys
from waiting_queue.services.draws import draw_lobby
from waiting_queue.services.fans import (
    aclaim,
    acomplete,
    ajoin,
    aleave,
    astanding,
    claim,
    complete,
    join,
    known_standing,
    leave,
    mark_at_limit,
    require_admission,
    standing,
    token_of,
)
from waiting_queue.services.group_moves import handle_groups
from waiting_queue.services.journal import (
    archive_queue,
    drain_journal,
    drain_journals,
)
from waiting_queue.services.knob_parsing import parse_knobs
from waiting_queue.services.lane_keys import join_lane
from waiting_queue.services.lanes import (
    MAX_KEYS,
    delete_lane,
    generate_codes,
    give_lanes,
    import_keys,
    record_export,
    save_lane,
)
from waiting_queue.services.minute_draws import draw_minutes
from waiting_queue.services.no_line import (
    aexplain_no_line,
    explain_no_line,
    no_line_reason,
    require_open_sale,
)
from waiting_queue.services.notices import set_notice
from waiting_queue.services.overload import report_behind
from waiting_queue.services.parties import clean_code, invite, join_party
from waiting_queue.services.passes import (
    OPEN_SALE,
    PassProof,
    Turn,
    arequire_turn,
    read_pass,
    require_turn,
    take_over,
    turn_of,
)
from waiting_queue.services.people import block, kick, reconcile_blocks, unblock
from waiting_queue.services.person_actions import PERSON_ACTIONS
from waiting_queue.services.public_values import announce_public_value, enter_public_value
from waiting_queue.services.queues import (
    changeable_knobs,
    create_queue,
    mode_choices,
    move_queue,
    rebuild_queue_on_request,
    set_knobs,
)
from waiting_queue.services.rebuilds import rebuild_queue
from waiting_queue.services.sales import close_sale, move_sale, open_sale, reset_sale, stop_sale
from waiting_queue.services.signals import (
    drain_signals,
    holders_wanted,
    record_run_outs,
    record_signals,
)
from waiting_queue.services.socket_times import socket_after_ms
from waiting_queue.services.tick_messages import aannouncements, announcements, send_closing_message
from waiting_queue.services.ticks import maintain_queue, tick_open_queues
from waiting_queue.services.verification_requests import ask_people_to_verify, people_asked
from waiting_queue.services.waiting_pages import publish_page, record_draft, withdraw_page
from waiting_queue.store import Standing
