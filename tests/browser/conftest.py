"""A real Chromium against the real server, on the tests' own database."""

import os
import shutil
import socket
import sys
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import uvicorn
from django.db import connections
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.making import make_event, make_plan
from ticketing.events.models import Event, Seat

# Playwright's synchronous API runs an event loop in the test's thread, where Django is then wary.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

HOW_TO_INSTALL = (
    "no Chromium: install it (Debian: apt-get install chromium), set CHROMIUM to its path, "
    "or install npm and run `make chromium`"
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
PHONE = {"width": 390, "height": 844}
AXE = Path(__file__).parent / "vendor" / "axe-core" / "axe.min.js"


def chromium_path() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome", str(FROM_NPM))
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
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The ASGI application on a free port, with the static files that `tests.servers` gathered."""
    # The server's threads would keep connections to a database that is about to be dropped.
    connections.settings["default"]["CONN_MAX_AGE"] = 0
    from ticketing.asgi import application

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(application, log_level="warning", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        wait_until(lambda: server.started)
        yield f"http://localhost:{listening.getsockname()[1]}"
        server.should_exit = True
        thread.join(10)


@pytest.fixture
def site(transactional_db: None, address: str) -> str:
    return address


@pytest.fixture
def on_sale(site: str, now) -> Event:
    """An event in a wide house, whose first section has seats in every state."""
    event = make_event(now, plan=make_plan(rows=2, seats_per_row=80, standing=30))
    seats = list(Seat.objects.filter(event=event, section__code="A").order_by("pk"))
    for seat, state in zip(seats, ("held", "sold", "blocked"), strict=False):
        Seat.objects.filter(pk=seat.pk).update(state=state)
    return event


@pytest.fixture
def announced(site: str, now) -> Event:
    return make_event(now, state=Event.State.ANNOUNCED, on_sale_at=now + timedelta(minutes=5))


@pytest.fixture
def context(browser: Browser, site: str) -> Iterator[BrowserContext]:
    """A phone whose owner reads English."""
    context = browser.new_context(viewport=PHONE, has_touch=True, locale="en-GB", base_url=site)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """Fails the test that left an error in the console; a CSP violation is one."""
    page, complaints = context.new_page(), []
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    assert complaints == []


def wait_until(true, seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)
