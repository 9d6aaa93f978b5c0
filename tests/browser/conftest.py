"""A real Chromium against the real server, on the tests' own database."""

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Locator,
    Page,
    expect,
    sync_playwright,
)

from tests.making import make_event, make_plan
from tests.payments.sandbox_server import origin  # noqa: F401 - fixture
from tests.waiting import PATIENCE
from ticketing.accounts.models import User
from ticketing.events.models import Event, Seat

expect.set_options(timeout=60_000)  # for a slow machine: nothing is expected to take so long

HOW_TO_INSTALL = (
    "no Chromium: install it (Debian: apt-get install chromium-headless-shell), set CHROMIUM to "
    "its path, or install npm and run `make chromium`"
)
FROM_NPM = Path(sys.prefix) / "chromium" / "chromium"  # bin/chromium puts it there
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PHONE, LAPTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
ENGLISH_PHONE: dict[str, Any] = {"viewport": PHONE, "has_touch": True, "locale": "en-GB"}
AXE = Path(__file__).parent / "vendor" / "axe-core" / "axe.min.js"


def chromium_path() -> str | None:
    """The headless shell first: it starts no windows, and takes two thirds of the time."""
    installed = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    names = (*installed, str(FROM_NPM))
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker("browser")
            if chromium_path() is None:
                item.add_marker(pytest.mark.skip(reason=HOW_TO_INSTALL))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if chromium_path() is None:
        terminalreporter.section("BROWSER TESTS WERE SKIPPED", yellow=True, bold=True)
        terminalreporter.line(HOW_TO_INSTALL)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Its driver runs an event loop in the test's thread, where Django is then wary."""
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def site(transactional_db: None, origin: str) -> str:  # noqa: F811
    """With the static files that `tests.servers` gathered."""
    return origin


@pytest.fixture
def on_sale(site: str, now: datetime) -> Event:
    """An event in a wide hall, whose first section has seats in every state."""
    event = make_event(now, plan=make_plan(rows=2, seats_per_row=80, standing=30))
    seats = list(Seat.objects.filter(event=event, section__code="A").order_by("pk"))
    for seat, state in zip(seats, ("held", "sold", "blocked"), strict=False):
        Seat.objects.filter(pk=seat.pk).update(state=state)
    return event


@pytest.fixture
def announced(site: str, now: datetime) -> Event:
    return make_event(now, state=Event.State.ANNOUNCED, on_sale_at=now + timedelta(minutes=5))


@pytest.fixture
def ignored_errors() -> tuple[str, ...]:
    """How the console errors begin that a test module provokes; the others fail its tests."""
    return ()


@pytest.fixture
def open_page(
    browser: Browser, site: str, ignored_errors: tuple[str, ...]
) -> Iterator[Callable[..., Page]]:
    """Open pages, each in a context of its own, by default an English phone.

    Fails the test that left an error in the console; a CSP violation is one.
    """
    errors: list[str] = []

    def note(message: ConsoleMessage) -> None:
        # Styles that axe itself tries where a strict policy forbids them have no address.
        by_axe = "inline style" in message.text and not message.location["url"]
        if message.type == "error" and not by_axe and not message.text.startswith(ignored_errors):
            errors.append(message.text)

    with ExitStack() as contexts:

        def opened(
            path: str | None = None,
            user: User | None = None,
            *,
            browser: Browser = browser,
            prepare: Callable[[Page], None] | None = None,
            **options: Any,
        ) -> Page:
            context = browser.new_context(**ENGLISH_PHONE | {"base_url": site} | options)
            contexts.callback(context.close)
            if user:
                log_in(context, user, site)
            page = context.new_page()
            page.on("console", note)
            page.on("pageerror", lambda error: errors.append(str(error)))
            if prepare:
                prepare(page)
            if path:
                page.goto(path)
            return page

        yield opened
    assert errors == []


@pytest.fixture
def page(open_page: Callable[..., Page]) -> Page:
    return open_page()


@pytest.fixture
def operator_page(open_page: Callable[..., Page], operator: User) -> Page:
    """A page on the operator's laptop, logged in."""
    return open_page(None, operator, viewport=LAPTOP, has_touch=False)


@pytest.fixture
def context(page: Page) -> BrowserContext:
    return page.context


def log_in(context: BrowserContext, user: User, site: str) -> None:
    """Give the context a session of this user in place of the one it has."""
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    key = client.cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": key, "url": site}])


def connection_status(page: Page) -> Locator:
    """Where a page says whether it is live, reconnecting or polling."""
    return page.locator("[data-status-label], [data-connection-label]")


def poll_page(page: Page, true: Callable[[], bool], seconds: float = PATIENCE) -> None:
    """`wait_until`, and let the page's events and routes be handled meanwhile."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, page.locator("body").inner_text()
        page.wait_for_timeout(50)


def skip_time_until(page: Page, true: Callable[[], bool], step: int = 1_000) -> None:
    """Move the page's own clock on, in steps of milliseconds, until it is true.

    The page must have been prepared with `page.clock.install()`. Each step leaves the server a
    moment to answer what the page asked in the step before.
    """

    def skipped() -> bool:
        if true():
            return True
        page.clock.fast_forward(step)
        return False

    poll_page(page, skipped)
