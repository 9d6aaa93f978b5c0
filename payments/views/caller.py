"""The person who is logged in."""

from django.http import HttpRequest

from ticketing.accounts.selectors import Caller, caller_in
from ticketing.core.errors import NotLoggedIn


def caller_of(request: HttpRequest) -> Caller:
    caller = caller_in(request.session)
    if caller is None:
        raise NotLoggedIn()
    return caller
