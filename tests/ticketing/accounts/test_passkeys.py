"""Passkeys: with a software authenticator, which signs as a browser's does."""

import hashlib
import json
import struct
from urllib.parse import urlsplit

import cbor2
import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from django.test import Client
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url

from tests.making import PASSWORD, make_user
from tests.ticketing.accounts.conftest import is_logged_in, logged_in, new_browser
from tests.ticketing.accounts.test_profile import token_form
from ticketing.accounts.models import ApiToken, Passkey, SecurityEvent, User
from ticketing.accounts.selectors import caller
from ticketing.accounts.sessions import FRESH_AT

PAGE, OPTIONS = "/accounts/passkeys/", "/accounts/passkeys/options/"
USE, USE_OPTIONS = "/accounts/log-in/passkey/", "/accounts/log-in/passkey/options/"
PRESENT, VERIFIED, ATTESTED = 0x01, 0x04, 0x40


@pytest.fixture(autouse=True)
def site(settings):
    settings.SITE_URL = "https://tickets.example.com"


class Authenticator:
    """One key of one device."""

    def __init__(self) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.id = hashlib.sha256(repr(self.key).encode()).digest()
        self.uses = 0
        self.flags = PRESENT | VERIFIED
        self.origin = "https://tickets.example.com"

    def data(self, host: str, *, attested: bytes = b"") -> bytes:
        self.uses += 1
        flags = self.flags | (ATTESTED if attested else 0)
        digest = hashlib.sha256(host.encode()).digest()
        return digest + struct.pack(">BI", flags, self.uses) + attested

    def client_data(self, kind: str, options: dict) -> bytes:
        named = {"type": kind, "challenge": options["challenge"], "origin": self.origin}
        return json.dumps(named).encode()

    def credential(self, **response: bytes) -> dict:
        own = bytes_to_base64url(self.id)
        encoded = {name: bytes_to_base64url(value) for name, value in response.items()}
        return {"id": own, "rawId": own, "type": "public-key", "response": encoded}

    def register(self, options: dict) -> dict:
        point = self.key.public_key().public_numbers()
        cose = {1: 2, 3: -7, -1: 1, -2: point.x.to_bytes(32), -3: point.y.to_bytes(32)}
        attested = bytes(16) + struct.pack(">H", len(self.id)) + self.id + cbor2.dumps(cose)
        data = self.data(options["rp"]["id"], attested=attested)
        return self.credential(
            clientDataJSON=self.client_data("webauthn.create", options),
            attestationObject=cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data}),
        )

    def sign(self, options: dict) -> dict:
        client, data = self.client_data("webauthn.get", options), self.data(options["rpId"])
        signed = data + hashlib.sha256(client).digest()
        return self.credential(
            clientDataJSON=client,
            authenticatorData=data,
            signature=self.key.sign(signed, ec.ECDSA(hashes.SHA256())),
        )


def post(client: Client, address: str, body: dict):
    as_json = {"content_type": "application/json", "headers": {"accept": "application/json"}}
    return client.post(address, body, **as_json)


def add_passkey(client: Client, device: Authenticator, name: str = "phone"):
    asked = post(client, OPTIONS, {}).json()
    credential = device.register(asked["options"])
    return post(client, PAGE, {"state": asked["state"], "credential": credential, "name": name})


def use(client: Client, device: Authenticator, query: str = ""):
    asked = post(client, USE_OPTIONS, {}).json()
    sent = {"state": asked["state"], "credential": device.sign(asked["options"])}
    return post(client, USE + query, sent)


@pytest.fixture
def device(ann: User, anns_browser: Client) -> Authenticator:
    made = Authenticator()
    assert add_passkey(anns_browser, made).status_code == 200
    return made


def test_a_passkey_logs_in_without_a_password(ann: User, device: Authenticator):
    browser = new_browser()

    answer = use(browser, device, "?next=/accounts/")

    assert answer.json() == {"next": "/accounts/"}
    assert caller(browser.session.session_key).id == ann.pk
    assert Passkey.objects.get().last_used_at


def test_it_never_leads_to_another_site(device: Authenticator):
    assert use(new_browser(), device, "?next=//evil.example/").json() == {"next": "/"}


def test_adding_one_ends_other_access_and_is_told(ann: User, anns_browser: Client):
    elsewhere = logged_in(ann)

    add_passkey(anns_browser, Authenticator())

    assert is_logged_in(anns_browser)
    assert not is_logged_in(elsewhere)
    assert SecurityEvent.objects.get(kind="factor_added").mail_to == ann.email
    assert "phone" in anns_browser.get(PAGE).content.decode()


def test_an_open_session_alone_adds_none(ann: User, anns_browser: Client):
    session = anns_browser.session
    session[FRESH_AT] -= 11 * 60
    session.save()

    assert anns_browser.get(PAGE).url == "/accounts/identity/?next=%2Faccounts%2Fpasskeys%2F"
    assert post(anns_browser, OPTIONS, {}).json()["code"] == "log_in_too_old"
    anns_browser.post("/accounts/identity/", {"current_password": PASSWORD})
    assert anns_browser.get(PAGE).status_code == 200


@pytest.mark.parametrize(
    "wrong",
    [
        {"origin": "https://evil.example"},
        {"flags": PRESENT},
        {"key": ec.generate_private_key},
    ],
    ids=["another site", "nobody verified", "another key"],
)
def test_what_does_not_fit_is_refused(device: Authenticator, wrong: dict):
    for name, value in wrong.items():
        setattr(device, name, value(ec.SECP256R1()) if callable(value) else value)

    answer = use(browser := new_browser(), device)

    assert (answer.status_code, answer.json()["code"]) == (403, "passkey_refused")
    assert not is_logged_in(browser)


def test_a_signature_is_accepted_once(device: Authenticator):
    asked = post(new_browser(), USE_OPTIONS, {}).json()
    sent = {"state": asked["state"], "credential": device.sign(asked["options"])}

    answers = [post(new_browser(), USE, sent).status_code for _ in range(2)]

    assert answers == [200, 403]


def test_a_copied_key_is_noticed_by_its_counter(device: Authenticator):
    use(new_browser(), device)
    device.uses = 0

    assert use(new_browser(), device).status_code == 403


def test_a_challenge_of_one_person_is_not_for_another(ann, ben, device: Authenticator):
    answer = use(logged_in(ben), device)

    assert answer.status_code == 403


@pytest.mark.parametrize("body", [{}, {"state": 1, "credential": {}}, {"credential": "x"}])
def test_nonsense_is_refused(db: None, body: dict):
    assert post(new_browser(), USE, body).status_code in (400, 403)


def test_a_passkey_is_removed_by_its_owner(ann: User, ben: User, device, anns_browser: Client):
    address = f"{PAGE}{Passkey.objects.get().pk}/remove/"

    assert logged_in(ben).post(address).status_code == 404
    assert anns_browser.post(address).url == PAGE
    assert use(new_browser(), device).status_code == 403
    assert SecurityEvent.objects.filter(kind="factor_removed").exists()


def test_somebody_switched_off_does_not_log_in(ann: User, device: Authenticator):
    User.objects.filter(pk=ann.pk).update(is_active=False)

    assert use(new_browser(), device).status_code == 403


# -- staff -----------------------------------------------------------------------------------------


@pytest.fixture
def boss(db: None) -> User:
    return make_user(email="boss@example.com", is_staff=True, is_superuser=True)


@pytest.fixture
def boss_key(boss: User) -> Authenticator:
    made = Authenticator()
    assert add_passkey(logged_in(boss), made).status_code == 200
    return made


def test_a_passkey_is_the_second_factor_of_staff(boss: User, boss_key: Authenticator, settings):
    settings.STAFF_TWO_FACTOR = "required"
    with_key, with_password = new_browser(), logged_in(boss)

    use(with_key, boss_key)

    assert with_key.get("/admin/").status_code == 200
    check = with_password.get("/admin/").url
    assert urlsplit(check).path == "/admin/console/second-factor/"
    assert "data-passkey" in with_password.get(check).content.decode()
    use(with_password, boss_key)
    assert with_password.get("/admin/").status_code == 200


def test_a_password_alone_sets_up_no_phone_beside_it(boss: User, boss_key: Authenticator):
    thief = logged_in(boss)

    assert thief.get("/admin/console/second-factor/set-up/").status_code == 302
    assert thief.get("/admin/console/second-factor/qr.svg").status_code == 404


def test_a_password_alone_changes_no_passkey_of_staff_who_have_a_factor(
    boss: User, boss_key: Authenticator
):
    thief, own = logged_in(boss), Passkey.objects.get()

    refusals = [
        post(thief, OPTIONS, {}),
        post(thief, PAGE, {"state": "", "credential": {}}),
        post(thief, f"{PAGE}{own.pk}/remove/", {}),
    ]

    assert [it.json()["code"] for it in refusals] == 3 * ["second_factor_missing"]
    assert thief.get(PAGE).url == "/admin/console/second-factor/?next=%2Faccounts%2Fpasskeys%2F"
    assert Passkey.objects.get() == own
    use(thief, boss_key)
    assert add_passkey(thief, Authenticator()).status_code == 200


def test_a_token_of_staff_takes_the_passkey(boss: User, boss_key: Authenticator, settings):
    settings.STAFF_TWO_FACTOR = "required"
    browser = logged_in(boss)
    browser.post("/accounts/tokens/", token_form(scopes=["operate"]))
    assert not ApiToken.objects.exists()

    use(browser, boss_key)
    browser.post("/accounts/tokens/", token_form(scopes=["operate"]))

    assert ApiToken.objects.get().has_second_factor


def test_challenges_are_long_and_new(db: None):
    first, second = (post(new_browser(), USE_OPTIONS, {}).json()["options"] for _ in range(2))

    assert first["challenge"] != second["challenge"]
    assert len(base64url_to_bytes(first["challenge"])) == 32
    assert first["userVerification"] == "required"
