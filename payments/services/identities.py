"""A fan verifies who they are: in PortOne's window, after which the gateway is asked who it was.

The number of a verification names its account and is signed, so nothing is stored until the gateway
says that somebody was verified; a number of another account, or an old one, is refused.
"""

import re
import secrets
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial

from django.conf import settings
from django.utils.crypto import constant_time_compare, salted_hmac

from payments.errors import IdentityPaused, VerificationRefused
from payments.gateways import GatewayError, GatewayIdentity, gateway
from reservations.selectors import has_seats_to_come
from ticketing.accounts.services import record_identity
from ticketing.core.fast_path.threads import in_thread
from ticketing.core.throttle import RateLimit
from waiting_queue import selectors as queues
from waiting_queue.errors import QueueUnavailable
from waiting_queue.services import leave

LASTS = timedelta(hours=1)
ASKED = RateLimit("verify", 20, 600, "Verifications that one person has the gateway asked about.")
NUMBER = re.compile(r"iv-([0-9a-f]{1,16})-([0-9a-f]{1,10})-[0-9a-f]{8}-[0-9a-f]{20}")
SALT = "payments.identities"


def new_verification(*, user_id: int, now: datetime) -> str:
    """The number under which PortOne verifies whoever uses this account."""
    body = f"iv-{user_id:x}-{int(now.timestamp()):x}-{secrets.token_hex(4)}"
    return f"{body}-{_signature(body)}"


async def averify_identity(*, number: str, user_id: int, now: datetime) -> None:
    """Record whom the gateway has verified under this number. May be repeated."""
    _require_own(number, user_id, now)
    await in_thread(ASKED.count, str(user_id))
    try:
        found = await gateway().fetch_identity(number=number, timeout=settings.PAYMENT_PATIENCE)
    except GatewayError as error:
        raise IdentityPaused() from error
    if found is None or (found.is_test and not settings.PORTONE_TAKES_TEST):
        raise VerificationRefused()
    await in_thread(_record, found, user_id, began_at=_began_at(number), now=now)


def _record(found: GatewayIdentity, user_id: int, *, began_at: datetime, now: datetime) -> None:
    before = record_identity(
        user_id=user_id,
        unique_value=found.unique_value,
        birth_year=found.birth_year,
        began_at=began_at,
        now=now,
        has_seats=partial(has_seats_to_come, now=now),
    )
    if before:
        _leave_lines(before, now)


def _leave_lines(user_id: int, now: datetime) -> None:
    """The person's other account gives up its places: one person, one place."""
    for event_id in queues.open_lines_of_identities():
        with suppress(QueueUnavailable):  # whoever is not verified can't hold a seat from there
            leave(event_id=event_id, person=str(user_id), now=now)


def _require_own(number: str, user_id: int, now: datetime) -> None:
    match = NUMBER.fullmatch(number)
    body, _, signature = number.rpartition("-")
    if match is None or not constant_time_compare(signature, _signature(body)):
        raise VerificationRefused()
    if int(match[1], 16) != user_id or now - _began_at(number) > LASTS:
        raise VerificationRefused()


def _began_at(number: str) -> datetime:
    """When this number was made, to the second."""
    return datetime.fromtimestamp(int(number.split("-")[2], 16), UTC)


def _signature(body: str) -> str:
    return salted_hmac(SALT, body, algorithm="sha256").hexdigest()[:20]
