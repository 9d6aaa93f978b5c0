from waiting_queue.models.appeals import APPEAL_MAX_LENGTH, BlockAppeal
from waiting_queue.models.bypasses import REASON_MAX_LENGTH, QueueBypass
from waiting_queue.models.changes import QueueChange
from waiting_queue.models.draw_secrets import (
    MINUTES,
    DrawSecrets,
    hashed,
    minute_secret,
    new_draw_secrets,
    new_minute_secrets,
    new_seed,
    renewed_minute_secrets,
)
from waiting_queue.models.draws import MinuteDraw, QueueDraw
from waiting_queue.models.journal import QueueJournal
from waiting_queue.models.lanes import LANES_OR_MINUTES, MAX_LANES, Lane, LaneKey
from waiting_queue.models.queues import (
    KNOBS,
    NOTICE_MAX_LENGTH,
    PUBLIC_VALUE_MAX_LENGTH,
    SaleQueue,
    one_plain_line,
)
from waiting_queue.models.signals import PlaceSignals
from waiting_queue.models.waiting_pages import (
    MAX_HINTS,
    MAX_LINKS,
    WaitingPage,
    WaitingPageHint,
    WaitingPageLink,
)
