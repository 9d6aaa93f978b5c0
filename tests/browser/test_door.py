"""Tickets and the door in a real browser: with a camera, without a network, without a script."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import segno
from playwright.sync_api import Locator, Page, expect

from reservations import services
from reservations.models import CheckIn, Ticket
from reservations.tickets import signing
from tests.browser.cable import Cable
from tests.browser.conftest import FLAGS, chromium_path, log_in, poll_page, skip_time_until
from tests.browser.quality import SMALL_CONTROLS, violations
from tests.making import make_event, make_plan, make_user, seat_ids
from tests.reservations.tickets.conftest import buy, make_doorkeeper, scan
from ticketing.events.models import Event


@pytest.fixture
def tonight(site, now):
    hours = {"starts_at": now + timedelta(hours=2), "doors_at": now + timedelta(hours=1)}
    return make_event(now, plan=make_plan(rows=3, seats_per_row=4, standing=6), **hours)


@pytest.fixture
def ann(transactional_db):
    return make_user(display_name="Ann", password=None)


@pytest.fixture
def tickets(tonight, ann, now) -> list[Ticket]:
    order = buy(tonight, ann, now, *seat_ids(tonight)[:4])
    return list(order.tickets.order_by("pk"))


@pytest.fixture
def keeper(transactional_db):
    return make_doorkeeper()


@pytest.fixture
def ignored_errors() -> tuple[str, ...]:
    """What the browser says by itself where a test takes the network away."""
    return ("Failed to load resource", "An unknown error occurred when fetching the script")


@pytest.fixture
def cable(site) -> Iterator[Cable]:
    cable = Cable(urlsplit(site).port)
    yield cable
    cable.close()


@pytest.fixture
def door(open_page, cable, tonight, tickets, keeper) -> Page:
    """The door's page, whose clock a test can move on and whose network it can cut."""
    page = open_page(
        f"/door/{tonight.pk}/",
        keeper,
        base_url=cable.address,
        prepare=lambda page: page.clock.install(),
    )
    expect(network_status(page)).to_have_text("Online")
    return page


def type_in(page, text):
    page.get_by_label("Code on the ticket").fill(text)
    page.get_by_role("button", name="Check in", exact=True).click()


def answers(page, word, message=""):
    panel = page.locator("[data-answer]")
    expect(panel).to_have_class(f"answer answer--{word}")
    if message:
        expect(panel.locator("[data-part=message]")).to_contain_text(message)


def inside(page) -> Locator:
    return page.locator("#door [data-inside]")


def network_status(page) -> Locator:
    return page.locator("[data-net]")


def checked_in(**fields) -> Callable[[], bool]:
    return lambda: CheckIn.objects.filter(**fields).count() == 1


def test_each_answer_is_said_in_words_and_shape(door, tonight, tickets, now):
    other = make_event(now)
    stranger = buy(other, make_user(password=None), now, seat_ids(other)[0]).tickets.get()
    void = services.reissue_ticket(code=tickets[3].code, fan_id=tickets[3].holder_id, now=now)
    assert void

    for text, word, message in (
        (signing.qr_text(tickets[0]), "valid", "Valid: welcome"),
        (tickets[0].code, "used", "Already used at"),
        (tickets[3].code, "void", "Cancelled: replaced by a new one"),
        (stranger.code, "wrong_event", f"For another event: {other.title_en}"),
        ("hello", "unknown", "Not a ticket"),
    ):
        type_in(door, text)
        answers(door, word, message)
    expect(inside(door)).to_have_text("1 of 4 checked in")
    assert CheckIn.objects.count() == 5


def test_a_check_in_is_undone(door, tickets):
    type_in(door, tickets[0].code)
    answers(door, "valid")

    door.get_by_role("button", name="Undo").click()

    answers(door, "unsure", "Undone: not inside")
    expect(inside(door)).to_have_text("0 of 4 checked in")
    type_in(door, tickets[0].code)
    answers(door, "valid")


def test_another_doors_people_are_counted(door, tonight, tickets, keeper, now):
    expect(inside(door)).to_have_text("0 of 4 checked in")

    scan(tonight, tickets[0].code, keeper, now)

    skip_time_until(door, lambda: inside(door).inner_text() == "1 of 4 checked in")
    expect(door.locator("[data-section=A] td").first).to_have_text("1")


KEPT = """async (cache) => {
  const kept = await (await caches.open(cache)).keys();
  return kept.map(({ url }) => new URL(url).pathname);
}"""


def kept(page, cache="door") -> list[str]:
    return page.evaluate(KEPT, cache)


LOADED = """() => performance.getEntriesByType("resource")
  .map(({ name }) => new URL(name).pathname)
  .filter((path) => path.startsWith("/static/"))"""


def is_kept_whole(page, address) -> bool:
    """The page with the files that it has loaded, and the decoder that it may load later."""
    paths = set(kept(page))
    return {address, *page.evaluate(LOADED)} <= paths and any("jsQR" in path for path in paths)


def test_the_page_is_loaded_again_without_a_network(door, cable, tonight, tickets):
    page, address = door, f"/door/{tonight.pk}/"
    poll_page(page, lambda: is_kept_whole(page, address))
    cable.cut()

    page.reload()

    status = network_status(page)
    skip_time_until(page, lambda: status.inner_text() == "No network: codes are checked here")
    type_in(page, signing.qr_text(tickets[0]))
    answers(page, "valid", "checked without network")
    page.reload()
    type_in(page, signing.qr_text(tickets[0]))
    answers(page, "used")
    cable.mend()
    skip_time_until(page, checked_in(answer="valid"))


def test_what_is_kept_is_forgotten_with_the_log_out(open_page, cable, tonight, tickets, keeper):
    address = f"/door/{tonight.pk}/"
    page = open_page(address, keeper, base_url=cable.address)
    poll_page(page, lambda: address in kept(page))
    page.context.clear_cookies()

    page.goto(address)

    assert address not in page.url or page.locator("#door").count() == 0
    poll_page(page, lambda: address not in kept(page))


def test_a_fan_shows_all_tickets_without_a_network(open_page, cable, tonight, tickets, ann):
    """Also those that were only listed before."""
    address = f"/tickets/orders/{tickets[0].reservation.code}/"
    page = open_page("/tickets/", ann, base_url=cable.address)
    poll_page(page, lambda: {"/tickets/", address} <= set(kept(page, "tickets")))
    cable.cut()

    page.goto(address)

    expect(page.locator(".pass svg")).to_have_count(4)
    expect(page.get_by_text("brightness")).to_be_visible()
    page.get_by_role("link", name="All your tickets").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("My tickets")


def test_the_next_person_at_a_device_finds_nobodys_tickets(open_page, cable, tickets, ann, site):
    address = f"/tickets/orders/{tickets[0].reservation.code}/"
    page = open_page(address, ann, base_url=cable.address)
    poll_page(page, lambda: address in kept(page, "tickets"))
    log_in(page.context, make_user(password=None), cable.address)

    page.goto("/tickets/")

    poll_page(page, lambda: address not in kept(page, "tickets"))


def test_the_door_asks_before_somebody_comes_in_days_before(door, tonight, tickets, now):
    later = now + timedelta(days=9)
    Event.objects.update(doors_at=later, starts_at=later + timedelta(hours=1))

    type_in(door, signing.qr_text(tickets[0]))
    answers(door, "not_yet", "Too early")
    door.get_by_role("button", name="Let in anyway").click()

    answers(door, "valid")
    poll_page(door, checked_in(answer="valid"))


def test_without_a_network_the_door_decides_and_tells_later(door, tonight, tickets, now):
    other = make_event(now)
    stranger = buy(other, make_user(password=None), now, seat_ids(other)[0]).tickets.get()
    mine, forged = signing.qr_text(tickets[0]), signing.qr_text(tickets[1])[:-9] + "AAAAAAAAA"
    elsewhere = signing.qr_text(stranger)
    door.context.set_offline(True)

    for text, word, message in (
        (mine, "valid", "checked without network"),
        (mine, "used", "Already used here at"),
        (forged, "unknown", "Not a ticket"),
        (elsewhere, "wrong_event", "For another event"),
        (tickets[1].code, "unsure", "Can’t be checked without network"),
    ):
        type_in(door, text)
        answers(door, word, message)
    expect(network_status(door)).to_have_text(
        "No network: codes are checked here · 1 check-in waits for the network"
    )
    assert not CheckIn.objects.exists()

    door.context.set_offline(False)

    expect(network_status(door)).to_have_text("Online")
    skip_time_until(door, checked_in(offline=True, answer="valid"))
    expect(inside(door)).to_have_text("1 of 4 checked in")
    expect(door.locator("[data-conflicts]")).to_be_hidden()


def test_who_was_let_in_twice_without_network_is_shown(door, tonight, tickets, keeper, now):
    door.context.set_offline(True)
    type_in(door, signing.qr_text(tickets[0]))
    answers(door, "valid")
    scan(tonight, tickets[0].code, keeper, now)

    door.context.set_offline(False)

    conflicts = door.locator("[data-conflicts]")
    expect(conflicts).to_contain_text("Let in without network, but: Already used")
    door.get_by_role("button", name="Seen").click()
    expect(conflicts).to_be_hidden()


def test_what_was_not_told_yet_outlives_the_page(door, cable, tonight, tickets):
    cable.cut()
    type_in(door, signing.qr_text(tickets[0]))
    answers(door, "valid", "checked without network")
    cable.mend()

    door.goto(f"/door/{tonight.pk}/")

    skip_time_until(door, checked_in(offline=True))


def test_an_answer_that_was_lost_counts_once(door, cable, tickets):
    """The server let them in, but nobody heard of it: the same key is told the same."""
    cable.lose_answers()
    type_in(door, signing.qr_text(tickets[0]))
    answers(door, "valid", "checked without network")
    poll_page(door, checked_in(answer="valid", offline=False))
    cable.mend()

    skip_time_until(door, lambda: network_status(door).inner_text() == "Online")
    assert CheckIn.objects.get().answer == "valid"
    expect(door.locator("[data-conflicts]")).to_be_hidden()


def test_who_is_logged_out_is_told(door, keeper, tickets):
    keeper.user_permissions.clear()

    type_in(door, tickets[0].code)

    answers(door, "unsure", "You are logged out")


# -- the camera -----------------------------------------------------------------------------------


def film(path: Path, text: str) -> Path:
    """What a camera sees that is held in front of a code: black squares on grey."""
    width, height, scale = 640, 480, 8
    rows = [list(row) for row in segno.make(text, error="m").matrix_iter(border=4)]
    left, top = (width - len(rows) * scale) // 2, (height - len(rows) * scale) // 2
    picture = bytearray(b"\xb0" * (width * height))
    for y, row in enumerate(rows):
        line = b"".join((b"\x10" if dark else b"\xeb") * scale for dark in row)
        for more in range(scale):
            start = (top + y * scale + more) * width + left
            picture[start : start + len(line)] = line
    colours = b"\x80" * (width * height // 2)
    frame = b"FRAME\n" + bytes(picture) + colours
    path.write_bytes(f"YUV4MPEG2 W{width} H{height} F10:1 Ip A1:1 C420\n".encode() + frame * 3)
    return path


@pytest.fixture
def with_camera(browser, tickets, tmp_path) -> Iterator:
    """A browser whose camera sees the first ticket."""
    seen = film(tmp_path / "ticket.y4m", signing.qr_text(tickets[0]))
    fake = ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream"]
    args = [*FLAGS, *fake, f"--use-file-for-fake-video-capture={seen}"]
    filming = browser.browser_type.launch(executable_path=chromium_path(), args=args)
    yield filming
    filming.close()


# Counts what the decoder reads from the camera's pictures.
COUNT_READS = """() => {
    const decode = window.jsQR;
    window.reads = 0;
    window.jsQR = (...picture) => {
        const found = decode(...picture);
        if (found) window.reads += 1;
        return found;
    };
}"""


def test_the_camera_reads_a_ticket_once(open_page, with_camera, tonight, tickets, keeper):
    own_decoder = "delete window.BarcodeDetector"  # which some systems have
    page = open_page(
        f"/door/{tonight.pk}/",
        keeper,
        browser=with_camera,
        prepare=lambda page: page.add_init_script(own_decoder),
    )

    page.get_by_role("button", name="Scan with the camera").click()

    expect(page.locator("[data-answer]")).to_have_class("answer answer--valid")
    page.evaluate(COUNT_READS)
    poll_page(page, lambda: page.evaluate("reads") > 2)  # the same code again and again
    assert list(CheckIn.objects.values_list("answer", "ticket")) == [("valid", tickets[0].pk)]
    page.get_by_role("button", name="Stop the camera").click()
    expect(page.locator("[data-video]")).to_be_hidden()


def test_the_decoder_is_loaded_only_for_the_camera(open_page, tonight, keeper):
    door = open_page(f"/door/{tonight.pk}/", keeper)
    loaded = "performance.getEntriesByType('resource').some((it) => it.name.includes('jsQR'))"

    assert door.evaluate(loaded) is False


# -- without a script, and for everybody -----------------------------------------------------------


def test_typed_codes_work_without_a_script(open_page, tonight, tickets, keeper):
    page = open_page(f"/door/{tonight.pk}/", keeper, java_script_enabled=False)

    type_in(page, tickets[0].code)

    answers(page, "valid", "Valid: welcome")
    expect(page.get_by_role("button", name="Scan with the camera")).to_be_hidden()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("The check-in is undone.")).to_be_visible()


def test_the_card_is_white_in_the_dark(open_page, tickets, ann):
    page = open_page(f"/tickets/{tickets[0].code}/", ann, color_scheme="dark")

    background = page.locator(".pass").evaluate("it => getComputedStyle(it).backgroundColor")
    picture = page.locator(".pass__qr")
    assert background == "rgb(255, 255, 255)"
    assert picture.evaluate("it => it.complete && it.naturalWidth > 0")
    assert picture.bounding_box()["width"] >= 300


def test_axe_finds_nothing(open_page, tonight, tickets, ann, keeper):
    own, theirs = open_page(None, ann), open_page(None, keeper)

    for page, path in (
        (own, "/tickets/"),
        (own, f"/tickets/{tickets[0].code}/"),
        (own, f"/tickets/orders/{tickets[0].reservation.code}/"),
        (theirs, "/door/"),
        (theirs, f"/door/{tonight.pk}/"),
    ):
        page.goto(path)
        assert violations(page) == [], path
        assert page.evaluate(SMALL_CONTROLS) == [], path
        page.set_viewport_size({"width": 360, "height": 640})
        assert page.evaluate("document.documentElement.scrollWidth") == 360, path
    for text, word in (
        (signing.qr_text(tickets[1]), "valid"),
        (tickets[1].code, "used"),
        ("hello", "unknown"),
    ):
        type_in(theirs, text)
        answers(theirs, word)
        assert violations(theirs) == []
