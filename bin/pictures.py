"""`make pictures`: the pictures of README and docs, taken of a running `make run` in Chromium.

The demo's simulated people come in first, so that the pages show a running sale.
"""

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import django
from django.utils import translation
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from ticketing.development.log_ins import FANS, OPERATOR, PASSWORD

ROOT = Path(__file__).resolve().parent.parent
SITE = f"http://127.0.0.1:{os.environ.get('PORT', '8000')}"
IMAGES = ROOT / "docs/images"
PHONE: Any = {"width": 390, "height": 844}
DESKTOP: Any = {"width": 1440, "height": 900}
FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update"]
EVENT = 1
WAITING = 40  # so many people are in line before a picture is taken
DESK_WIDTH = 1000  # of the picture
MANAGE = [sys.executable, str(ROOT / "manage.py")]
REHEARSAL = ["--fans", "100", "--minutes", "1", "--set", "admit_per_second=3", "--quiet"]
# Django is needed for the language of the report only.
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ticketing.settings")


def main() -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        first, second, *_ = FANS
        seats = open_page(browser, first, PHONE)
        enter(seats)
        with crowd():
            waiting = open_page(browser, second, PHONE)
            join(waiting)
            waiting.locator("#line-spoken").wait_for(state="attached")
            waiting.wait_for_timeout(5_000)  # the first places have been pushed
            save(waiting, "waiting")
            seats.locator("#seat-map").evaluate("map => map.scrollIntoView()")
            seats.wait_for_timeout(3_000)  # the map has been drawn
            save(seats, "seats")
            console = open_page(browser, OPERATOR, DESKTOP)
            console.goto(f"/admin/console/{EVENT}/")
            console.wait_for_timeout(8_000)  # the charts have some points
            save(console, "console", width=DESK_WIDTH)
        save_report(browser)
        browser.close()


def chromium() -> str | None:
    """As for the browser tests; bin/chromium puts one into the virtual environment."""
    names = ("chromium", "chromium-browser", "google-chrome", f"{sys.prefix}/chromium/chromium")
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


def open_page(browser: Browser, email: str, viewport: Any) -> Page:
    """A page on which this person of the demo is logged in."""
    context = browser.new_context(
        base_url=SITE,
        viewport=viewport,
        locale="en-GB",
        timezone_id="Asia/Seoul",
    )
    context.set_default_timeout(120_000)
    page = context.new_page()
    page.goto("/accounts/log-in/")
    page.locator("input[name=username]").fill(email)
    page.locator("input[name=password]").fill(PASSWORD)
    page.locator("main form .button").first.click()
    page.wait_for_url(re.compile(r"^(?!.*log-in)"))
    return page


def join(page: Page) -> None:
    page.goto(f"/events/{EVENT}/queue/")
    if page.url.endswith("/seats/"):  # it is their turn already
        return
    button = page.locator("main form[method=post] button").first
    if page.locator("[data-number]").count() == 0 and button.is_visible():
        button.click()
        page.wait_for_load_state()


def enter(page: Page) -> None:
    """Through the line, which is empty, to the seat map."""
    join(page)
    page.wait_for_url(re.compile("/seats/"))


@contextmanager
def crowd() -> Iterator[None]:
    """The demo's crowd, from when there is a line until the pictures are taken."""
    command = [*MANAGE, "demo_crowd", str(EVENT), "--minutes", "10"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout or ():
            if (found := re.search(r"(\d+) waiting", line)) and int(found[1]) >= WAITING:
                break
        try:
            yield
        finally:
            process.terminate()
            process.communicate()


def save(page: Page, name: str, *, width: int = 0) -> None:
    picture = Image.open(io.BytesIO(page.screenshot()))
    if width:
        picture = picture.resize((width, width * picture.height // picture.width))
    file = IMAGES / f"{name}.webp"
    picture.convert("RGB").save(file, quality=82, method=6)
    print(f"{file.relative_to(ROOT)}: {file.stat().st_size / 1000:.0f} KB")  # noqa: T201


def save_report(browser: Browser) -> None:
    """Of a small rehearsal on the same site."""
    with tempfile.TemporaryDirectory() as folder:
        command = [*MANAGE, "rehearse", str(EVENT), *REHEARSAL, "--folder", folder]
        subprocess.run(command, check=False)  # a busy machine may break a promise
        render_in_english(Path(folder))
        page = browser.new_context(viewport=DESKTOP, locale="en-GB").new_page()
        page.goto(f"file://{folder}/report.html")
        save(page, "report", width=DESK_WIDTH)


def render_in_english(folder: Path) -> None:
    django.setup()
    from ticketing.rehearsal.report_html.page import as_html
    from ticketing.rehearsal.simulator.history import Folder
    from ticketing.rehearsal.simulator.result import judge_folder

    with translation.override("en"):
        (folder / "report.html").write_text(as_html(judge_folder(Folder(folder))))


if __name__ == "__main__":
    main()
