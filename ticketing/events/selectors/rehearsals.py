"""What belongs to a rehearsal, decided by ids without SQL."""

import secrets

from django.db.models import Q

from ticketing.core.errors import NotFound
from ticketing.events.models import FIRST_REHEARSAL_ID, LAST_REHEARSAL_ID, REHEARSAL_IDS


def is_rehearsal(event_id: int | None) -> bool:
    """Decided by the id, without SQL; a database constraint keeps id and `rehearsal_of` in step."""
    return event_id is not None and event_id >= FIRST_REHEARSAL_ID


def without_rehearsals(field: str = "event_id") -> Q:
    """Filters rows of other models: only those whose event is not a rehearsal."""
    return Q(**{f"{field}__lt": FIRST_REHEARSAL_ID})


def new_rehearsal_id() -> int:
    """A random event id in the range reserved for rehearsals, with room for its people."""
    choices = (LAST_REHEARSAL_ID - FIRST_REHEARSAL_ID) // REHEARSAL_IDS
    return FIRST_REHEARSAL_ID + REHEARSAL_IDS * secrets.randbelow(choices)


def require_own_sale(*, event_id: int, person_id: int) -> None:
    """People of a rehearsal are bound to its event; no other is there for them. Without SQL."""
    if person_id >= FIRST_REHEARSAL_ID and person_id - person_id % REHEARSAL_IDS != event_id:
        raise NotFound()
