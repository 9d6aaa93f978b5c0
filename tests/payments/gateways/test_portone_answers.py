"""Whatever PortOne's SDK raises is one of three errors, and so is an answer of an unknown kind."""

import json
from types import SimpleNamespace

import httpx
import pytest
from portone_server_sdk import errors as sdk

from payments.gateways import Declined, GatewayUnavailable, OutcomeUnknown
from payments.gateways.portone_answers import gateway_error, gateway_payment


def refused(kind):
    """An exception as the SDK makes it from an answer."""
    return kind(SimpleNamespace(message="no", pg_code="51", pg_message="no money"))


@pytest.mark.parametrize(
    ("odd", "kind"),
    [
        (refused(sdk.PgProviderError), Declined),
        (refused(sdk.InvalidPaymentTokenError), Declined),
        (refused(sdk.InformationMismatchError), Declined),
        (refused(sdk.UnauthorizedError), GatewayUnavailable),
        (refused(sdk.ForbiddenError), GatewayUnavailable),
        (httpx.ConnectError("refused"), GatewayUnavailable),
        (httpx.ConnectTimeout("slow"), GatewayUnavailable),
        (httpx.ReadTimeout("slow"), OutcomeUnknown),
        (httpx.RemoteProtocolError("cut"), OutcomeUnknown),
        (json.JSONDecodeError("html", "", 0), OutcomeUnknown),
        (KeyError("paidAt"), OutcomeUnknown),
        (ValueError("odd"), OutcomeUnknown),
        (RuntimeError("anything"), OutcomeUnknown),
    ],
    ids=lambda it: type(it).__name__ if isinstance(it, Exception) else it.__name__,
)
def test_what_is_not_certain_is_unknown(odd, kind):
    assert type(gateway_error(odd)) is kind


def test_the_card_companys_own_words_are_kept():
    error = gateway_error(refused(sdk.PgProviderError))

    assert (error.code, error.message) == ("51", "no money")


def test_a_payment_of_an_unknown_kind_is_unknown():
    with pytest.raises(OutcomeUnknown) as error:
        gateway_payment(SimpleNamespace())

    assert error.value.code == "odd_payment"
