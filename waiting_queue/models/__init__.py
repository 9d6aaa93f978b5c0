from waiting_queue.models.appeals import APPEAL_MAX_LENGTH, BlockAppeal
from waiting_queue.models.changes import QueueChange
from waiting_queue.models.draws import QueueDraw
from waiting_queue.models.journal import QueueJournal
from waiting_queue.models.queues import (
    KNOBS,
    NOTICE_MAX_LENGTH,
    SaleQueue,
    new_seed,
    one_plain_line,
)
