"""The account's pages on a phone, in both languages, and a passkey from its making to its use."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, log_in
from tests.browser.quality import SMALL_CONTROLS, WIDTH, violations
from ticketing.accounts import services

PAGES = ("", "address/", "tokens/", "passkeys/", "identity/", "password/")


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_pages_pass_axe_and_fit_a_small_phone(open_page, fan, now, language):
    services.create_token(user=fan, name="my script", now=now)
    page = open_page("/", fan, locale=language)

    for path in PAGES:
        page.goto(f"/accounts/{path}")
        expect(page.locator("html")).to_have_attribute("lang", language)
        assert violations(page, colours=language == "en") == [], path
        assert page.evaluate(SMALL_CONTROLS) == [], path
        page.set_viewport_size({"width": 360, "height": 640})
        assert page.evaluate(WIDTH) == 360, path
        page.set_viewport_size(PHONE)


def with_authenticator(page: Page) -> None:
    """Chromium's own software authenticator, which keeps passkeys and verifies its user."""
    devices = page.context.new_cdp_session(page)
    devices.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    devices.send("WebAuthn.addVirtualAuthenticator", {"options": options})


def test_a_passkey_is_added_and_logs_in(open_page, site, fan, settings):
    here = site.replace("127.0.0.1", "localhost")
    settings.SITE_URL = here
    page = open_page(None, base_url=here)
    log_in(page.context, fan, here)
    with_authenticator(page)

    page.goto("/accounts/passkeys/")
    page.get_by_label("Name").fill("my phone")
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.get_by_role("rowheader", name="my phone")).to_be_visible()

    page.context.clear_cookies()
    page.goto("/accounts/log-in/?next=/accounts/")
    page.get_by_role("button", name="Use a passkey").click()

    expect(page.get_by_role("heading", name="Your account")).to_be_visible()


def test_rules_for_a_password_do_not_look_like_errors(open_page, fan):
    page = open_page("/accounts/password/", fan)
    colour = "element => getComputedStyle(element).color"

    rules = page.locator(".field__help ul").first

    assert rules.evaluate(colour) == rules.locator("xpath=..").evaluate(colour)
    for field in page.locator("main input[type=password]").all():
        field.fill("x")
    page.locator("main form button").first.click()
    errors = page.locator(".errorlist").first
    expect(errors).to_be_visible()
    assert errors.evaluate(colour) != page.locator(".field__help").first.evaluate(colour)
