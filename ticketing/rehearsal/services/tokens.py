"""API tokens for the program that runs a rehearsal on the site's own machine."""

from datetime import datetime, timedelta

from ticketing.accounts import services as accounts
from ticketing.accounts.models import User
from ticketing.rehearsal.errors import NoSuperuser

# Longer than any sale that is rehearsed, with its lobby, judging and report.
TOKEN_LASTS = timedelta(hours=6)
TOKEN_NAME = "Rehearsal"  # noqa: S105 - shown in the person's list of tokens


def mint_token(*, user: User, now: datetime) -> str:
    """Create a token that expires by itself."""
    return accounts.issue_temporary_token(
        user=user, name=TOKEN_NAME, until=now + TOKEN_LASTS, now=now
    )


def mint_superuser_token(*, now: datetime) -> str:
    """Create a token for whoever can run commands here: they can do anything anyway."""
    superuser = User.objects.filter(is_active=True, is_superuser=True).order_by("pk").first()
    if superuser is None:
        raise NoSuperuser("There is no superuser: make one, or give a --token.")
    return mint_token(user=superuser, now=now)
