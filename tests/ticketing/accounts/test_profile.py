import pytest
from django.test import Client

from tests.making import PASSWORD
from tests.ticketing.accounts.conftest import is_logged_in, logged_in
from ticketing.accounts import rate_limits
from ticketing.accounts.models import ApiToken, User
from ticketing.accounts.selectors import caller

PROFILE = "/accounts/"
DEVELOPERS = "/accounts/developers/"
NEW = "quite-another-passphrase"


def token_form(**more: object) -> dict[str, object]:
    asked = {"name": "my script", "scopes": ["read", "buy"], "days": 90}
    return asked | {"current_password": PASSWORD} | more


def typed(**more: str) -> dict[str, str]:
    return {"display_name": "Ann", "phone": ""} | more


@pytest.mark.parametrize(
    "address", [PROFILE, *(f"{PROFILE}{page}/" for page in ("password", "tokens", "address"))]
)
def test_strangers_are_asked_to_log_in(db: None, browser: Client, address: str):
    assert browser.get(address).url == f"/accounts/log-in/?next={address}"


def test_a_new_name_is_saved_and_known_to_the_session(ann: User, anns_browser: Client):
    anns_browser.post(PROFILE, typed(display_name="Anna", phone="010-1234-5678"))

    ann.refresh_from_db()
    assert (ann.display_name, ann.phone) == ("Anna", "010-1234-5678")
    assert caller(anns_browser.session.session_key).name == "Anna"


def test_a_phone_number_has_digits(anns_browser: Client):
    response = anns_browser.post(PROFILE, typed(phone="call me"))

    assert list(response.context["form"].errors) == ["phone"]


def test_guessing_the_password_from_a_borrowed_phone_is_limited(anns_browser: Client):
    wrong = {"old_password": "wrong", "new_password1": NEW, "new_password2": NEW}
    for _ in range(rate_limits.CONFIRM_PASSWORD.limit):
        assert anns_browser.post("/accounts/password/", wrong).status_code == 200

    assert anns_browser.post("/accounts/password/", wrong).status_code == 429
    email = {"email": "x@example.com", "current_password": "wrong"}
    assert anns_browser.post("/accounts/address/", email).status_code == 429


def test_who_changes_the_password_stays_logged_in_and_only_there(ann: User, anns_browser: Client):
    elsewhere = logged_in(ann)
    old_key = anns_browser.session.session_key

    changed = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}
    assert anns_browser.post("/accounts/password/", changed).url == PROFILE

    assert anns_browser.get(PROFILE).status_code == 200
    assert caller(anns_browser.session.session_key).name == "Ann"
    assert not is_logged_in(elsewhere)
    assert caller(old_key) is None


def test_logging_out_everywhere_ends_this_log_in_too(ann: User, ben: User, anns_browser: Client):
    elsewhere, bens_browser = logged_in(ann), logged_in(ben)

    anns_browser.post("/accounts/log-out-everywhere/")

    assert not is_logged_in(anns_browser)
    assert not is_logged_in(elsewhere)
    assert is_logged_in(bens_browser)


def test_a_token_is_shown_once(ann: User, anns_browser: Client):
    page = anns_browser.post("/accounts/tokens/", token_form())

    token = ApiToken.objects.get(user=ann)
    secret = page.context["secret"]
    assert page.status_code == 201
    assert "no-store" in page["Cache-Control"]
    assert secret in page.content.decode()
    assert token.digest == ApiToken.digest_of(secret)
    tokens = anns_browser.get(DEVELOPERS).content.decode()
    assert "my script" in tokens
    assert secret not in tokens


def test_tokens_are_on_the_developers_page_and_not_on_the_profile(ann: User, anns_browser: Client):
    anns_browser.post("/accounts/tokens/", token_form())

    assert "my script" not in anns_browser.get(PROFILE).content.decode()
    assert "my script" in anns_browser.get(DEVELOPERS).content.decode()


@pytest.mark.django_db
def test_the_developers_page_asks_a_visitor_to_log_in_for_tokens(browser: Client):
    page = browser.get(DEVELOPERS).content.decode()

    assert "/accounts/log-in/?next=%2Faccounts%2Fdevelopers%2F" in page
    assert "/api/v1/docs/" in page
    assert "/accounts/tokens/" not in page


def test_a_token_can_be_revoked_by_its_owner_only(ann: User, ben: User, anns_browser: Client):
    anns_browser.post("/accounts/tokens/", token_form())
    token = ApiToken.objects.get(user=ann)
    revoke = f"/accounts/tokens/{token.pk}/revoke/"

    assert logged_in(ben).post(revoke).status_code == 404
    token.refresh_from_db()
    assert token.revoked_at is None

    assert anns_browser.post(revoke).url == DEVELOPERS
    token.refresh_from_db()
    assert token.revoked_at is not None


@pytest.mark.parametrize(
    "address",
    [
        *("", "tokens/", "log-out-everywhere/", "log-out/", "password/", "tokens/1/revoke/"),
        *("address/", "confirm/", "confirm/x/", "sessions/x/end/"),
    ],
)
def test_every_form_needs_its_csrf_token(ann: User, address: str):
    client = logged_in(ann, enforce_csrf_checks=True)

    assert client.post(f"/accounts/{address}", {"name": "x"}).status_code == 403
    assert is_logged_in(client)
