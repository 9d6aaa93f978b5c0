"""Who may watch the console over a websocket."""

from django.contrib.auth import SESSION_KEY

from ticketing.accounts.models import User
from ticketing.accounts.selectors import session_data
from ticketing.console.errors import SecondFactorMissing
from ticketing.console.services.roles import WATCH
from ticketing.console.services.second_factor import needs_second_factor
from ticketing.core.errors import NotAllowed, NotLoggedIn


def require_watcher(session_key: str) -> User:
    """The user of this session, if they may watch; checked when a socket opens and regularly."""
    session = session_data(session_key)
    user = User.objects.filter(pk=int(session.get(SESSION_KEY) or 0), is_active=True).first()
    if user is None:
        raise NotLoggedIn()
    if not (user.is_staff and user.has_perm(WATCH)):
        raise NotAllowed()
    if needs_second_factor(user, session):
        raise SecondFactorMissing()
    return user
