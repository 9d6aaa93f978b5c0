import pytest
from django.test import Client
from django.urls import reverse

from tests.making import PASSWORD, make_user
from tests.ticketing.accounts.conftest import is_logged_in
from ticketing.accounts.models import User

LOG_IN = "/accounts/log-in/"
OUTSIDE = [
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example/",
    "http:///evil.example",
    "javascript:alert(1)",
    "https:evil.example",
]


def typed(email: str = "ann@example.com", password: str = PASSWORD, **more: str) -> dict[str, str]:
    return {"username": email, "password": password, **more}


def test_letters_that_only_look_alike_are_somebody_else(db: None):
    """Else each such spelling would be a fresh set of tries at the same account."""
    make_user(email="kiss@example.com")

    assert not User.objects.with_email("k\u0131ss@example.com").exists()
    assert User.objects.filter(email__iexact="k\u0131ss@example.com").exists(), "the control"


def test_a_wrong_password_and_an_unknown_address_get_the_same_answer(ann: User, browser: Client):
    wrong = browser.post(LOG_IN, typed(password="wrong"))
    unknown = browser.post(LOG_IN, typed("nobody@example.com"))

    assert wrong.status_code == unknown.status_code == 200
    assert wrong.context["form"].errors == unknown.context["form"].errors
    assert "Incorrect e-mail" in str(wrong.context["form"].errors)
    assert not is_logged_in(browser)


def test_someone_switched_off_is_answered_like_a_wrong_password(ann: User, browser: Client):
    User.objects.filter(pk=ann.pk).update(is_active=False)

    response = browser.post(LOG_IN, typed())

    assert "Incorrect e-mail" in str(response.context["form"].errors)
    assert not is_logged_in(browser)


def test_after_log_in_one_goes_on_where_one_was(ann: User, browser: Client):
    response = browser.post(f"{LOG_IN}?next=/accounts/", typed())

    assert response.url == "/accounts/"


@pytest.mark.parametrize("elsewhere", OUTSIDE)
def test_log_in_never_leads_to_another_site(ann: User, browser: Client, elsewhere: str):
    response = browser.post(LOG_IN, typed(next=elsewhere))

    assert response.url == reverse("ticketing:home")


@pytest.mark.parametrize("page", ["log_in", "sign_up"])
def test_someone_logged_in_is_sent_on(anns_browser: Client, page: str):
    address = reverse(f"accounts:{page}")

    assert anns_browser.get(address, {"next": "/accounts/"}).url == "/accounts/"
    assert anns_browser.get(address, {"next": OUTSIDE[0]}).url == reverse("ticketing:home")


def test_the_way_to_sign_up_keeps_where_one_was(db: None, browser: Client):
    page = browser.get(LOG_IN, {"next": "/events/7/?a=1&b=2"}).content.decode()

    assert "/accounts/sign-up/?next=%2Fevents%2F7%2F%3Fa%3D1%26b%3D2" in page


def test_password_managers_know_the_fields(db: None, browser: Client):
    page = browser.get(LOG_IN).content.decode()

    assert 'autocomplete="username"' in page
    assert 'autocomplete="current-password"' in page


def test_log_in_changes_the_session_key(ann: User, browser: Client):
    session = browser.session
    session["basket"] = 1
    session.save()
    before = session.session_key

    browser.post(LOG_IN, typed())

    assert browser.session.session_key != before


def test_log_out_takes_a_post(anns_browser: Client):
    assert anns_browser.get("/accounts/log-out/").status_code == 405
    assert is_logged_in(anns_browser)

    assert anns_browser.post("/accounts/log-out/").url == reverse("ticketing:home")
    assert not is_logged_in(anns_browser)


def test_log_out_never_leads_to_another_site(anns_browser: Client):
    response = anns_browser.post("/accounts/log-out/", {"next": OUTSIDE[0]})

    assert response.url == reverse("ticketing:home")
