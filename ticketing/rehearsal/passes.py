"""How the command on the site's own machine gets in."""

from ticketing.accounts.models import User
from ticketing.core import clock
from ticketing.rehearsal import services


class NobodyMay(Exception):
    """There is no account that could rehearse."""


def own_pass() -> str:
    """Who can run commands here can do anything anyway; the pass ends by itself."""
    operator = User.objects.filter(is_active=True, is_superuser=True).order_by("pk").first()
    if operator is None:
        raise NobodyMay("There is no superuser: make one, or give a --token.")
    return services.mint_token(user=operator, now=clock.now())
