"""Who may watch the console over a websocket."""

from django.contrib.auth import SESSION_KEY

from ticketing.accounts.models import User
from ticketing.accounts.selectors import session_data
from ticketing.accounts.services import require_staff
from ticketing.console.services.roles import WATCH
from ticketing.core.errors import NotLoggedIn


def require_watcher(session_key: str) -> User:
    """The user of this session, if they may watch; checked when a socket opens and regularly."""
    session = session_data(session_key)
    user = User.objects.filter(pk=int(session.get(SESSION_KEY) or 0), is_active=True).first()
    if user is None:
        raise NotLoggedIn()
    require_staff(user=user, permission=WATCH, session=session)
    return user
