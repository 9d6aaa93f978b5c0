"""The `qp_…` token: says that this person may pay for this reservation, for ten minutes.

It comes with the hold, which only people whose turn it is can get.
"""

from datetime import datetime, timedelta

from reservations.errors import BadPaymentToken
from ticketing.core.tokens import BadSignature, TokenSigner

LASTS = timedelta(minutes=10)
_signer = TokenSigner("qp_", "payment token")


def payment_token(*, code: str, fan_id: int, now: datetime) -> str:
    return _signer.sign(f"{code}.{fan_id}.{int((now + LASTS).timestamp())}")


def require_payment_token(token: str, *, code: str, fan_id: int, now: datetime) -> None:
    try:
        owner, _, until = _signer.payload_of(token).rpartition(".")
    except BadSignature:
        raise BadPaymentToken() from None
    if owner != f"{code}.{fan_id}" or now.timestamp() > int(until):
        raise BadPaymentToken()
