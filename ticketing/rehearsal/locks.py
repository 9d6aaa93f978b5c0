"""Row locks of rehearsals. They are taken before any other lock."""

from ticketing.rehearsal.errors import RehearsalNotFound
from ticketing.rehearsal.models import Rehearsal


def rehearsal_for_update(code: str) -> Rehearsal:
    """Lock a rehearsal, so that calls that use it and the clean-up run one after the other."""
    rehearsal = Rehearsal.objects.select_for_update().filter(code=code).first()
    if rehearsal is None:
        raise RehearsalNotFound()
    return rehearsal
