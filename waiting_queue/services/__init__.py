from waiting_queue.services.drawing import draw_lobby, drawn_order, published_draw, seed_hash
from waiting_queue.services.fans import (
    aclaim,
    ajoin,
    aleave,
    astanding,
    claim,
    complete,
    join,
    leave,
    require_admission,
    standing,
    token_of,
)
from waiting_queue.services.journal import archive_queue, drain_journals, rebuild_queue
from waiting_queue.services.operating import move_queue, set_knobs
from waiting_queue.services.ticking import tick_open_queues

__all__ = [
    "aclaim",
    "ajoin",
    "aleave",
    "archive_queue",
    "astanding",
    "claim",
    "complete",
    "drain_journals",
    "draw_lobby",
    "drawn_order",
    "join",
    "leave",
    "move_queue",
    "published_draw",
    "rebuild_queue",
    "require_admission",
    "seed_hash",
    "set_knobs",
    "standing",
    "tick_open_queues",
    "token_of",
]
