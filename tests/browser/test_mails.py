"""A mail in a real browser: its links lead on, and nothing in it runs."""

import pytest
from django.core.mail import EmailMultiAlternatives

from ticketing.development.mailbox import folder

RUNS = '<script>document.title = "ran"; document.body.textContent = "ran"</script>'


@pytest.fixture
def mail(site, settings, tmp_path) -> str:
    settings.MAIL_FOLDER = tmp_path
    settings.EMAIL_BACKEND = "ticketing.development.mailbox.backend.FolderBackend"
    letter = EmailMultiAlternatives("Seats", "Hello", to=["ann@example.com"])
    page = f'<html><head></head><body>{RUNS}<a href="{site}/accounts/log-in/">on</a></body></html>'
    letter.attach_alternative(page, "text/html")
    letter.send()
    return folder.names()[0]


def test_links_lead_to_our_pages_and_scripts_lead_nowhere(context, mail):
    page = context.new_page()
    page.goto("/dev/mails/")
    page.get_by_role("link", name="Seats").click()
    frame = page.frame_locator("iframe")

    with context.expect_page() as opened:
        frame.get_by_text("on").click()

    opened.value.wait_for_load_state()
    assert opened.value.locator("input[name=username], input[name=email]").count()
    assert frame.locator("body").inner_text() == "on"


def test_a_mail_that_is_opened_by_itself_is_as_harmless(context, mail):
    page = context.new_page()
    page.goto(f"/dev/mails/{mail}/html/")

    assert page.evaluate("window.origin") == "null"
    assert page.locator("body").inner_text() == "on"
