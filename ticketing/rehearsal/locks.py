"""Row locks of rehearsals: taken before any other."""

from ticketing.rehearsal.errors import NoRehearsal
from ticketing.rehearsal.models import Rehearsal


def rehearsal_for_update(code: str) -> Rehearsal:
    """What uses a rehearsal and what ends it take turns."""
    found = Rehearsal.objects.select_for_update().filter(code=code).first()
    if found is None:
        raise NoRehearsal()
    return found
