"""A code that anybody can check and nobody can make up."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import timedelta

import pytest

from reservations.tickets import ed25519, signing

ORDER = 2**252 + 27742317777372353535851937790883648493
# RFC 8032, section 7.1: seed, public key, message, signature.
KNOWN = [
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b4"
        "6bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d"
        "8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6"
        "594a7c15e9716ed28dc027beceea1ec40a",
    ),
]


@pytest.mark.parametrize("known", KNOWN, ids=["empty", "one byte", "two bytes"])
def test_it_is_the_ed25519_of_the_standard(known):
    seed, public, message, signature = map(bytes.fromhex, known)

    assert ed25519.public_key(seed) == public
    assert ed25519.sign(seed, message) == signature
    assert ed25519.verify(public, message, signature)


@pytest.mark.parametrize("place", [0, 20, 31, 32, 50, 63])
def test_a_changed_bit_is_noticed(place):
    _, public, message, signature = map(bytes.fromhex, KNOWN[1])
    changed = bytearray(signature)
    changed[place] ^= 1

    assert not ed25519.verify(public, message, bytes(changed))
    assert not ed25519.verify(public, message + b"x", signature)


def test_no_signature_has_a_twin():
    """The second half plus the group's order would be the same number; it is refused."""
    _, public, message, signature = map(bytes.fromhex, KNOWN[1])
    answer = int.from_bytes(signature[32:], "little") + ORDER
    twin = signature[:32] + answer.to_bytes(32, "little")

    assert not ed25519.verify(public, message, twin)


@pytest.mark.parametrize("key", [b"", b"\xff" * 32, b"\x02" + b"\0" * 31])
def test_what_is_no_key_verifies_nothing(key):
    assert not ed25519.verify(key, b"", bytes.fromhex(KNOWN[0][3]))


@pytest.mark.django_db
class TestTickets:
    def test_a_code_says_which_ticket_it_is(self, ticket):
        claim = signing.verified_payload(signing.qr_text(ticket))

        assert claim == signing.payload_of(ticket)
        assert (claim.ticket, claim.event, claim.seat) == (
            *(ticket.pk, ticket.event_id, ticket.seat_id),
        )
        over = ticket.event.starts_at + timedelta(hours=12)
        assert claim.until == int(over.timestamp()) // 60

    def test_it_is_small(self, ticket):
        assert len(signing.qr_text(ticket)) < 120

    def test_nobody_can_change_what_it_says(self, ticket):
        raw = bytearray(urlsafe_b64decode(signing.qr_text(ticket)[3:] + "=="))
        raw[0] ^= 1
        forged = "qt_" + urlsafe_b64encode(raw).rstrip(b"=").decode()

        assert signing.verified_payload(forged) is None

    @pytest.mark.parametrize("text", ["", "qt_", "qt_AAAA", "qt_ü", "hello", "qt_" + "A" * 999])
    def test_anything_else_is_no_ticket(self, db, text):
        assert signing.verified_payload(text) is None

    def test_a_key_of_its_own_signs_from_then_on(self, ticket, settings):
        before = signing.qr_text(ticket)
        settings.TICKET_KEY = urlsafe_b64encode(b"k" * 32).decode()

        assert signing.qr_text(ticket) != before
        assert signing.verified_payload(before) == signing.verified_payload(signing.qr_text(ticket))

    def test_earlier_keys_are_good_while_they_are_named(self, ticket, settings):
        before, old = signing.qr_text(ticket), signing.public_keys()[0]
        settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another", []
        assert signing.verified_payload(before) is None

        settings.TICKET_OLD_KEYS = [signing.base64url(old)]

        assert signing.verified_payload(before)

    def test_everybody_can_have_the_public_key(self, ticket, client):
        answer = client.get("/tickets/keys.json")

        (key,) = json.loads(answer.content)["keys"]
        public = urlsafe_b64decode(key["x"] + "=")
        assert (key["kty"], key["crv"], len(public)) == ("OKP", "Ed25519", 32)
        raw = urlsafe_b64decode(signing.qr_text(ticket)[3:] + "==")
        assert ed25519.verify(public, b"ticket 1:" + raw[:-64], raw[-64:])
