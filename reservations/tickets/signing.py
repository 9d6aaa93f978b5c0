"""The `qt_…` text of a QR code: says which ticket it is, and that we said so.

Anybody with the public key (`/tickets/keys.json`) can check it without a network. What became of
the ticket since then, only the database knows.
"""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from dataclasses import astuple, dataclass
from datetime import datetime, timedelta
from functools import cache

from django.conf import settings

from reservations.models import Ticket
from reservations.tickets import ed25519

PREFIX = "qt_"
# Nothing else that we sign with this key can be taken for a ticket.
CONTEXT = b"ticket 1:"
SIGNATURE = 64
LONGEST = 200
# Doors close late, and shows without an end are over by then.
AFTERWARDS = timedelta(hours=12)


@dataclass(frozen=True)
class Claim:
    """Numbers only; `until` is in minutes since 1970."""

    ticket: int
    event: int
    seat: int
    serial: int
    until: int


def qr_text(ticket: Ticket) -> str:
    payload = b"".join(map(_packed, astuple(claim_of(ticket))))
    signature = ed25519.sign(_own_seed(), CONTEXT + payload)
    return PREFIX + text(payload + signature)


def claim_of(ticket: Ticket) -> Claim:
    over = (ticket.event.ends_at or ticket.event.starts_at) + AFTERWARDS
    return Claim(ticket.pk, ticket.event_id, ticket.seat_id, ticket.serial, _minutes(over))


def read(qr: str) -> Claim | None:
    """What the code says, if we signed it."""
    raw = _raw(qr.removeprefix(PREFIX)) if qr.startswith(PREFIX) and len(qr) <= LONGEST else b""
    payload, signature = raw[:-SIGNATURE], raw[-SIGNATURE:]
    if not any(ed25519.verify(key, CONTEXT + payload, signature) for key in public_keys()):
        return None
    numbers = _unpacked(payload)
    return Claim(*numbers) if len(numbers) == 5 else None


def public_keys() -> list[bytes]:
    """The one that signs now, and earlier ones whose tickets are still good."""
    secrets = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    seeds = [_own_seed(), *map(_drawn_seed, secrets)]
    earlier = [_raw(key) for key in settings.TICKET_OLD_KEYS]
    return list(dict.fromkeys([*map(_public, seeds), *earlier]))


def text(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def _own_seed() -> bytes:
    return _raw(settings.TICKET_KEY) if settings.TICKET_KEY else _drawn_seed(settings.SECRET_KEY)


def _drawn_seed(secret: str) -> bytes:
    return hmac.digest(secret.encode(), b"ticket key", "sha256")


@cache
def _public(seed: bytes) -> bytes:
    return ed25519.public_key(seed)


def _minutes(moment: datetime) -> int:
    return int(moment.timestamp()) // 60


def _raw(text: str) -> bytes:
    try:
        return urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (Error, ValueError):
        return b""


def _packed(number: int) -> bytes:
    """Seven bits a byte, the lowest first; the eighth says that more follow."""
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _unpacked(payload: bytes) -> list[int]:
    numbers, shift, number = [], 0, 0
    for byte in payload:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(number)
            shift = number = 0
    return numbers
