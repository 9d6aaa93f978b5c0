"""The challenge in a real browser: solved by itself, and possible without a script."""

import sys

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import poll_page
from tests.browser.quality import violations
from tests.making import make_event, make_user
from tests.waiting_queue.challenges import rush
from ticketing.accounts import services as accounts
from ticketing.accounts.tasks import mail_sign_up
from ticketing.core import challenges, clock
from ticketing.core.challenges import HARDEST, TRIES
from waiting_queue import services
from waiting_queue.models import SaleQueue

# Runs the worker alone, as the widget does: how many tries a second one worker does.
SOLVE = """async (challenge) => {
  const worker = new Worker(document.getElementById("challenge-files").dataset.worker);
  const began = performance.now();
  const solution = await new Promise((resolve) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.postMessage({ type: "work", challenge, counterStart: 0, counterStep: 1 });
  });
  return { tries: solution.counter + 1, seconds: (performance.now() - began) / 1000 };
}"""


@pytest.fixture
def ignored_errors() -> tuple[str, ...]:
    return ("Failed to load resource",)  # the refusal that brings the challenge


@pytest.fixture
def queue(site, now, operator) -> SaleQueue:
    queue = SaleQueue.objects.create(event=make_event(now), opens_at=now, admit_per_second=0)
    services.move_queue(event_id=queue.pk, to="open", by=None, now=clock.now())
    services.move_queue(event_id=queue.pk, to="paused", by=None, now=clock.now())
    rush(queue.pk)
    return queue


def address(queue: SaleQueue) -> str:
    return f"/events/{queue.pk}/queue/"


def join(page: Page) -> None:
    page.get_by_role("button", name="Join the line").click()


@pytest.mark.parametrize("locale", ["en-GB", "ko-KR"])
def test_the_page_solves_it_by_itself(open_page, queue, locale):
    page = open_page(address(queue), make_user(), locale=locale)

    page.locator("form[data-join] button").click()

    expect(page.locator("#line[data-state=waiting]")).to_be_visible()


def test_screen_readers_hear_of_it_and_the_widget_has_no_flaws(open_page, queue):
    page = open_page(address(queue), make_user())
    page.route("**/pbkdf2*.js", lambda route: None)  # the worker never comes: it goes on working
    join(page)

    expect(page.locator("#line-spoken")).to_contain_text("Checking that you are not a robot")
    expect(page.locator("altcha-widget")).to_be_visible()
    assert violations(page) == []


def test_without_a_script_one_waits_and_joins(open_page, queue, monkeypatch):
    monkeypatch.setattr(challenges, "WAITS", (0,) * len(TRIES))
    page = open_page(address(queue), make_user(), java_script_enabled=False)
    join(page)

    expect(page.get_by_text("then press the button")).to_be_visible()
    join(page)

    expect(page.locator("#line[data-state=waiting]")).to_be_visible()


def test_a_browser_without_cryptography_waits_too(open_page, queue):
    without = "Object.defineProperty(globalThis.crypto, 'subtle', { value: undefined })"
    page = open_page(
        address(queue), make_user(), prepare=lambda page: page.add_init_script(without)
    )
    join(page)

    expect(page.get_by_text("then press the button")).to_be_visible()


def test_a_slow_phone_solves_the_hardest(open_page, queue, capsys):
    """Its seconds are printed, not judged: docs/security.md has them."""
    page = open_page(address(queue), make_user())
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 6})
    challenge = challenges.new_challenge("test", HARDEST, now=clock.now())["proof_of_work"]

    took = page.evaluate(SOLVE, challenge)

    assert TRIES[HARDEST] // 2 < took["tries"] <= TRIES[HARDEST]
    with capsys.disabled():
        rate = took["tries"] / took["seconds"]
        slowed = 6 * TRIES[HARDEST] / rate
        sys.stdout.write(f"\n{rate:,.0f} tries/s of one worker; a sixth: {slowed:.1f} s at most\n")


def test_sign_up_goes_on_by_itself(open_page, site, monkeypatch):
    monkeypatch.setattr(accounts, "sign_up_level", lambda network: 1)
    monkeypatch.setattr(mail_sign_up, "delay", lambda *arguments: None)
    page = open_page("/accounts/sign-up/")
    page.get_by_label("E-mail").fill("cem@example.com")
    page.get_by_role("button", name="Send the link").click()

    poll_page(page, lambda: page.url.endswith("/sent/"))
