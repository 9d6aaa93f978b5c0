"""What the two-person rule says of somebody."""

from ticketing.accounts.models import User
from ticketing.events.models import TwoPersonRule
from ticketing.events.selectors.rehearsals import is_rehearsal


def needs_approval(*, action: str, event_id: int, by: User | None) -> bool:
    """Whether a role of this person only asks for it, and another person approves it.

    The command line without a name is bound as soon as any role is.
    """
    rules = TwoPersonRule.objects.filter(**{action: True})
    bound = rules if by is None else rules.filter(role__user=by)
    return bound.exists() and not is_rehearsal(event_id)
