"""PortOne's identity verifications, of which we read two fields."""

from functools import cache
from typing import Any

from portone_server_sdk.identity_verification import (
    IdentityVerificationClient,
    VerifiedIdentityVerification,
)

from payments.gateways.base import GatewayIdentity, OutcomeUnknown


@cache
def identity_client(secret: str, url: str, store_id: str | None) -> IdentityVerificationClient:
    return IdentityVerificationClient(secret=secret, base_url=url, store_id=store_id)


async def fetch_verification(client: IdentityVerificationClient, number: str) -> Any:
    try:
        return await client.get_identity_verification_async(identity_verification_id=number)
    except ValueError:  # it quotes the whole person, who must not get into a log
        raise OutcomeUnknown("odd_identity") from None


def gateway_identity(found: Any) -> GatewayIdentity | None:
    """The person of a verification; None: nobody was verified, or not yet."""
    if not isinstance(found, VerifiedIdentityVerification):
        return None
    person = found.verified_customer
    year = (person.birth_date or "")[:4]
    if not person.ci or not year.isdecimal():
        raise OutcomeUnknown("odd_identity")
    is_test = found.channel is None or found.channel.type != "LIVE"
    return GatewayIdentity(person.ci, birth_year=int(year), is_test=is_test)
