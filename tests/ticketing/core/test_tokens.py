"""Tokens: read back by us alone, of one kind, with keys that are still accepted."""

import pytest

from ticketing.core.tokens import BadSignature, TokenSigner

SIGNER = TokenSigner("qr_", "queue token")


@pytest.fixture(autouse=True)
def keys(settings):
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "only-for-tests", []


def test_a_token_says_what_was_signed():
    assert SIGNER.payload_of(SIGNER.sign("7.42.1.epoch-é")) == "7.42.1.epoch-é"


def test_the_format_stays():
    """Tokens that are out there must stay good: same prefix, alphabet and signature."""
    assert SIGNER.sign("7.42.1.e1") == "qr_Ny40Mi4xLmUx.psfiUlNSunD_CRe5pKa_rqTaD7A"


@pytest.mark.parametrize(
    "token",
    [
        "",
        "qr_",
        "qr_.",
        "qr_a.b",
        "qr_!!.!!",
        "qr_é.é",
        "Ny40Mi4xLmUx.psfiUlNSunD_CRe5pKa_rqTaD7A",
        "qr_Ny40Mi4xLmUx",
    ],
)
def test_other_texts_are_no_tokens(token):
    with pytest.raises(BadSignature):
        SIGNER.payload_of(token)


@pytest.mark.parametrize("again", ["{}.{}B", "{}=.{}A", "{}!.{}A", "{}.!{}A", "{}.{}A="])
def test_another_spelling_of_the_same_bytes_is_refused(again):
    """Base64 ignores the last two bits here, padding, and characters that it does not know."""
    payload, signature = "qr_Ny40Mi4xLmUx", "psfiUlNSunD_CRe5pKa_rqTaD7"
    assert SIGNER.payload_of(f"{payload}.{signature}A") == "7.42.1.e1"

    with pytest.raises(BadSignature):
        SIGNER.payload_of(again.format(payload, signature))


def test_one_kind_does_not_pass_for_another():
    other = TokenSigner("qr_", "payment token").sign("7.42.1.e1")

    with pytest.raises(BadSignature):
        SIGNER.payload_of(other)


def test_a_changed_payload_is_refused():
    token, other = SIGNER.sign("7.42.1.e1"), SIGNER.sign("7.43.1.e1")

    with pytest.raises(BadSignature):
        SIGNER.payload_of(other.split(".")[0] + "." + token.split(".")[1])


def test_a_key_that_is_being_rotated_out_is_accepted_until_it_is_gone(settings):
    token = SIGNER.sign("7.42.1.e1")
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "new", ["only-for-tests"]
    assert SIGNER.payload_of(token) == "7.42.1.e1"

    settings.SECRET_KEY_FALLBACKS = []
    with pytest.raises(BadSignature):
        SIGNER.payload_of(token)
