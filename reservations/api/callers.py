"""Who may hold seats: a logged-in browser, the owner of an API token, or the holder of a pass."""

from dataclasses import dataclass
from typing import Any, ClassVar

from rest_framework.request import Request

from ticketing.accounts.authentication import FanAuthentication, TokenAuthentication
from ticketing.accounts.selectors import Caller
from ticketing.core import clock
from ticketing.core.browsers import Browser, browser_of
from ticketing.core.errors import NotLoggedIn
from ticketing.core.fast_path.requests import ApiRequest
from waiting_queue.services import PassProof, read_pass


@dataclass(frozen=True)
class Holder:
    """A person, the browser they use, and the pass if they came with one instead of a login."""

    id: int
    proof: PassProof

    is_authenticated: ClassVar[bool] = True

    @property
    def browser(self) -> Browser:
        return self.proof.browser

    def require_account(self) -> int:
        """A pass is for holding seats: it does not prove an account."""
        if self.proof.token:
            raise NotLoggedIn()
        return self.id


class HolderAuthentication(FanAuthentication):
    """`Authorization: Bearer qr_…` with a pass, or as everywhere; only for POST.

    A pass comes before a cookie. No browser sends it by itself, so no other site can use it, and
    its call needs no origin of ours.
    """

    def authenticate(self, request: Request) -> tuple[Any, None] | None:
        if request.method != "POST":
            return None
        parser_context: Any = request.parser_context
        event_id = parser_context["kwargs"]["event_id"]
        address = request.META.get("REMOTE_ADDR") or ""
        if holder := _pass_holder(request.headers, event_id, clock.now(), address):
            return holder, None
        found = TokenAuthentication().authenticate(request) or super().authenticate(request)
        return (_holder(found[0], request.headers, address), None) if found else None

    async def aauthenticate(self, request: ApiRequest) -> Any:
        event_id = request.path_params["event_id"]
        if holder := _pass_holder(request.headers, event_id, request.now, request.client):
            return holder
        caller = await super().aauthenticate(request)
        return _holder(caller, request.headers, request.client)


def _pass_holder(headers: Any, event_id: int, now: Any, address: str) -> Holder | None:
    scheme, _, secret = headers.get("authorization", "").partition(" ")
    token = None
    if scheme.lower() == "bearer":
        token = read_pass(secret.strip(), event_id=event_id, now=now)
    if token is None:
        return None
    return Holder(int(token.person), PassProof(Browser(token.browser), token, address))


def _holder(caller: Caller | Any, headers: Any, address: str) -> Holder:
    return Holder(int(caller.id), PassProof(browser_of(headers), address=address))
