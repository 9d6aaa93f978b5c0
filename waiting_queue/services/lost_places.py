"""Places that were given in the moment before Redis lost its data, and are in no journal.

Their holders were answered, and their token proves which number they have.
"""

import logging
from datetime import datetime

from waiting_queue import store
from waiting_queue.models import QueueJournal
from waiting_queue.store import Standing
from waiting_queue.tokens import QueueToken

log = logging.getLogger(__name__)
OUTSIDE = frozenset({"none", "completed", "left", "expired"})


def may_be_lost(found: Standing, token: QueueToken | None) -> bool:
    """Whether a token of an earlier epoch says more of its holder than Redis does."""
    return bool(token and found.state in OUTSIDE and token.epoch != found.epoch)


def restore_lost_place(token: QueueToken, found: Standing, *, now: datetime) -> Standing:
    """Put the token's holder back, unless the journal knows how they left the line."""
    event_id, person = token.event_id, token.person
    journal = QueueJournal.objects.filter(event_id=event_id, person=int(person))
    number = {"number": token.number} if token.number else {"number__lte": 0}  # or of a minute
    if journal.filter(**number).exists():
        return found
    _, restored = store.run_all(
        [
            store.add_membership(event_id, person, now),
            store.restore_place(event_id, person, token.number, now),
        ]
    )
    if restored.state in OUTSIDE:
        store.run(store.remove_membership(event_id, person))
    else:
        log.warning("queue %s: restored number %s from its token", event_id, token.number)
    return restored
