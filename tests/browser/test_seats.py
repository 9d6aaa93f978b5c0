"""Choosing seats in a real browser: with fingers, with keys, against others, without a script."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from reservations import gate, services
from reservations.models import Reservation
from reservations.services.holds import reserve_seats
from tests.browser.conftest import connection_status, poll_page, skip_time_until
from tests.browser.quality import SMALL_CONTROLS, violations
from tests.making import make_event, make_plan, make_user
from tests.reservations import acting
from ticketing.core import clock
from ticketing.events.models import Event, Seat, Section
from ticketing.events.services import block_seats
from waiting_queue import services as queue
from waiting_queue.models import SaleQueue


@pytest.fixture
def sale(site, now) -> Event:
    """Sold openly: three rows of eight, and room for thirty to stand."""
    return make_event(now, plan=make_plan(rows=3, seats_per_row=8, standing=30))


@pytest.fixture
def rival(transactional_db):
    return make_user()


@pytest.fixture
def ignored_errors() -> tuple[str, ...]:
    """What the browser says by itself where a test takes the server away."""
    return ("Failed to load resource",)


@pytest.fixture
def open_seats(open_page) -> Callable[..., Page]:
    """Open an event's seats as somebody, on their own phone."""

    def opened(event, user=None, path="seats/", **options) -> Page:
        return open_page(f"/events/{event.pk}/{path}", user, **options)

    return opened


def is_live(page: Page) -> None:
    """Wait for the socket and for the list of seats, which come in any order."""
    expect(connection_status(page)).to_have_text("Live")
    expect(page.locator("#map-view")).to_be_visible()


def view_of(page: Page) -> dict[str, float]:
    """Return where the map is, once its seats are drawn and can be tapped."""
    expect(page.locator("#map-view")).to_be_visible()
    page.evaluate("document.querySelector('#map-view').scrollIntoView({block: 'center'})")
    return page.locator("#map-view").bounding_box()


def spot_of(page: Page, row: int, number: int) -> tuple[float, float]:
    """Where the map draws it, when it shows the whole of this house, stage included."""
    view, wide, high, middle = view_of(page), 200, 228.8, (100, 85.6)
    scale = min(min(view["width"] / wide, view["height"] / high) * 0.92, 2.2)
    right, down = (20 * number - middle[0]) * scale, (20 * row - middle[1]) * scale
    return view["x"] + view["width"] / 2 + right, view["y"] + view["height"] / 2 + down


def middle_of(page: Page, down: float = 0.5) -> tuple[float, float]:
    view = view_of(page)
    return view["x"] + view["width"] / 2, view["y"] + view["height"] * down


def fingers_on(page: Page) -> Callable[..., None]:
    """Return what puts, moves or lifts fingers."""
    phone = page.context.new_cdp_session(page)

    def touch(kind: str, *spots: tuple[float, float]) -> None:
        points = [{"x": x, "y": y, "id": at} for at, (x, y) in enumerate(spots)]
        phone.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    return touch


def tap_seat(page: Page, row: int, number: int) -> None:
    page.touchscreen.tap(*spot_of(page, row, number))


def seat(event, row: int, number: int) -> int:
    place = {"place__row": str(row), "place__number": number}
    return Seat.objects.get(event=event, section__code="A", **place).pk


def hold(event, person, *seats: int):
    return acting.hold(event, person, clock.now(), *seats).reservation


def chosen(page: Page):
    return page.locator("[data-chosen] [data-name]")


def press_hold(page: Page) -> None:
    page.get_by_role("button", name="Hold these seats").tap()


def is_held(page: Page, *seats: str) -> None:
    page.wait_for_url("**/basket/")
    expect(page.get_by_role("heading", level=1)).to_have_text("These seats are held for you")
    for one in seats:
        expect(page.get_by_text(one)).to_be_visible()


# -- with fingers ----------------------------------------------------------------------------------


def test_the_best_seats_are_picked_with_one_press(open_seats, sale, fan):
    page = open_seats(sale, fan)
    page.get_by_role("button", name="Hold the best seats").tap()

    is_held(page)
    expect(page.get_by_role("timer")).to_have_text(re.compile(r"^(5:00|4:\d\d)$"))
    expect(page.locator(".seats__one")).to_have_count(3)


def test_two_seats_are_picked_on_the_map_by_tapping(open_seats, sale, fan):
    page = open_seats(sale, fan)
    is_live(page)
    tap_seat(page, 1, 3)
    tap_seat(page, 2, 4)

    expect(chosen(page)).to_have_text(["Section A, row 1, seat 3", "Section A, row 2, seat 4"])
    expect(page.locator("[data-sum]")).to_have_text("2 seats · ₩264,000")
    press_hold(page)
    is_held(page, "Section A, row 1, seat 3", "Section A, row 2, seat 4")
    assert Reservation.objects.get().fan == fan


def test_a_second_touch_and_the_button_beside_it_put_a_seat_back(open_seats, sale, fan):
    page = open_seats(sale, fan)
    is_live(page)
    for number in (3, 4, 3):
        tap_seat(page, 1, number)
    expect(chosen(page)).to_have_text(["Section A, row 1, seat 4"])

    page.get_by_role("button", name="Remove Section A, row 1, seat 4").tap()

    expect(chosen(page)).to_have_count(0)
    expect(page.get_by_role("button", name="Hold these seats")).to_be_hidden()


def test_nobody_chooses_more_than_a_person_may_have(open_seats, sale, fan):
    page = open_seats(sale, fan)
    is_live(page)
    for number in range(1, 6):
        tap_seat(page, 1, number)

    expect(chosen(page)).to_have_count(4)
    expect(page.get_by_role("alert")).to_have_text(
        "You can’t choose more than 4 now; the limit is 4 per person."
    )


def test_a_taken_seat_can_not_be_chosen_and_the_map_says_why(open_seats, sale, fan, rival):
    hold(sale, rival, seat(sale, 1, 3))
    page = open_seats(sale, fan)
    is_live(page)

    tap_seat(page, 1, 3)

    expect(page.locator("[data-hint]")).to_contain_text(
        "seat 3 can’t be chosen: held by someone else."
    )
    expect(chosen(page)).to_have_count(0)


def test_places_to_stand_are_held_by_their_number(open_seats, sale, fan):
    page = open_seats(sale, fan)
    form = page.locator("form", has=page.locator('input[name="section"]')).first
    form.get_by_role("radio", name="3").check()
    page.get_by_role("button", name="Hold standing tickets").tap()

    is_held(page)
    expect(page.get_by_text("Floor")).to_have_count(3)


def test_in_a_big_house_a_touch_comes_closer_and_the_next_one_chooses(open_seats, site, now, fan):
    big = make_event(now, plan=make_plan(rows=40, seats_per_row=60))
    page = open_seats(big, fan, prepare=lambda page: page.clock.install())
    is_live(page)
    view = view_of(page)
    middle = view["x"] + view["width"] / 2, view["y"] + view["height"] / 2

    page.touchscreen.tap(*middle)
    expect(page.locator("[data-hint]")).to_have_text("Zoomed in. Tap a seat to choose it.")
    page.clock.run_for(1_000)  # the map has come closer
    expect(chosen(page)).to_have_count(0)
    page.touchscreen.tap(*middle)

    expect(chosen(page)).to_have_count(1)


def test_where_everybody_stands_there_is_no_map(open_seats, site, now, fan):
    standing = make_event(now, plan=make_plan(rows=0, standing=30))
    page = open_seats(standing, fan)
    expect(page.locator("#seat-map")).to_have_count(0)
    expect(page.get_by_role("link", name="F, 30 of 30 left: Floor")).to_be_visible()

    page.get_by_role("button", name="Hold standing tickets").tap()

    is_held(page)


def test_the_map_is_zoomed_and_moved_with_wheel_mouse_and_buttons(open_seats, sale, fan):
    page = open_seats(sale, fan, viewport={"width": 1280, "height": 900})
    is_live(page)
    near, view = page.locator("#map-view[data-near]"), view_of(page)
    middle = view["x"] + view["width"] / 2, view["y"] + view["height"] / 2
    expect(near).to_have_count(0)

    page.mouse.move(*middle)
    page.mouse.wheel(0, -600)
    expect(near).to_have_count(1)
    page.mouse.down()
    page.mouse.move(middle[0] + 80, middle[1] + 30, steps=4)
    page.mouse.up()
    expect(chosen(page)).to_have_count(0)  # moving is not choosing
    page.get_by_role("button", name="Whole venue").click()
    expect(near).to_have_count(0)
    page.get_by_role("button", name="Zoom in").click()
    expect(near).to_have_count(1)
    page.get_by_role("button", name="Zoom out").click()
    expect(near).to_have_count(0)


def test_two_fingers_zoom(open_seats, sale, fan):
    page = open_seats(sale, fan)
    is_live(page)
    touch, (x, y) = fingers_on(page), middle_of(page)

    touch("touchStart", (x - 20, y), (x + 20, y))
    for apart in range(30, 120, 10):
        touch("touchMove", (x - apart, y), (x + apart, y))
    touch("touchEnd")

    expect(page.locator("#map-view[data-near]")).to_have_count(1)
    expect(chosen(page)).to_have_count(0)


# Without workers that draw, as Safari before 16.4: the page draws.
ON_PAGE = "delete HTMLCanvasElement.prototype.transferControlToOffscreen;"
# And without canvases outside the page.
ON_OLD_PAGE = f"{ON_PAGE} delete window.OffscreenCanvas;"
# Counts the tiles that are drawn: the first thing in each of these squares is its ground.
COUNT_TILES = f"""{ON_PAGE}
  window.tiles = 0;
  const {{prototype}} = OffscreenCanvasRenderingContext2D, own = prototype.fillRect;
  prototype.fillRect = function (x, y, ...size) {{
    tiles += x === 0 && y === 0 && this.canvas.width === 256 && this.canvas.height === 256;
    return own.call(this, x, y, ...size);
  }};
"""
# Keeps where the tiles of the last frame are: it clears the canvas, then copies them.
KEEP_COPIES = f"""{ON_PAGE}
  window.copies = [];
  const {{prototype}} = CanvasRenderingContext2D, {{drawImage, fillRect}} = prototype;
  const isMap = (canvas) => canvas.parentElement?.id === "map-view";
  prototype.fillRect = function (x, y, wide, ...rest) {{
    if (isMap(this.canvas) && wide === this.canvas.width) copies = [];
    return fillRect.call(this, x, y, wide, ...rest);
  }};
  prototype.drawImage = function (picture, ...box) {{
    if (isMap(this.canvas)) copies.push(box);
    return drawImage.call(this, picture, ...box);
  }};
"""
IS_SHARP = """() => copies.length
  && copies.every((box) => box.every(Number.isInteger) && box[2] === 256 && box[3] === 256)"""


def with_script(script: str) -> dict[str, Callable[[Page], None]]:
    """Options of a page in which this runs first."""
    return {"prepare": lambda page: page.add_init_script(script)}


# How many tiles are drawn in each of some frames, if the first one takes all the time there is.
TILES_PER_FRAME = """async (act) => {
  const frame = () => new Promise((go) => requestAnimationFrame(go));
  const view = document.getElementById("map-view"), counts = [], now = performance.now;
  const zoom = () => view.dispatchEvent(new WheelEvent("wheel", {deltaY: -10, cancelable: true}));
  let reads = 0;
  performance.now = () => 1_000 * reads++;
  if (act === "filter") document.querySelector("[data-filter] button:not([data-grade])").click();
  for (let step = 0; step < 40; step++) {
    tiles = 0;
    if (act === "zoom") zoom();
    await frame();
    counts.push(tiles);
  }
  performance.now = now;
  tiles = 0;
  return counts;
}"""
IN_VIEW = 4  # at least so many tiles


def test_a_map_that_moves_is_copied_and_drawn_again_when_it_rests(open_seats, site, now, fan):
    big = make_event(now, plan=make_plan(rows=40, seats_per_row=60))
    page = open_seats(big, fan, reduced_motion="reduce", **with_script(COUNT_TILES))
    is_live(page)
    view_of(page)
    page.locator("#map-view").tap()
    page.wait_for_function(f"() => tiles >= {IN_VIEW}")  # its 2,400 seats, as points

    assert max(page.evaluate(TILES_PER_FRAME, "zoom")) <= 1
    page.wait_for_function(f"() => tiles >= {IN_VIEW}")

    counts = page.evaluate(TILES_PER_FRAME, "filter")  # all of it changes
    assert max(counts) <= 1
    assert sum(counts) >= IN_VIEW


# -- the drawing -----------------------------------------------------------------------------------


def picture(page: Page) -> bytes:
    return page.locator("#map-view").screenshot()


def is_drawn(page: Page) -> None:
    """Wait until all that is in view is drawn, with the page's fonts."""
    page.wait_for_function("() => performance.getEntriesByName('seats:ready').length")
    page.evaluate("document.fonts.ready.then(() => null)")


@pytest.fixture
def hall(site, now) -> Event:
    """Wide, with a Korean name, seats in every state, and places to stand."""
    event = make_event(now, plan=make_plan(rows=12, seats_per_row=60, standing=30))
    Section.objects.filter(plan=event.plan, code="A").update(name_en="가온 block")
    for at, state in enumerate(("held", "sold", "blocked", "held")):
        Seat.objects.filter(event=event, place__number=5 * at + 2).update(state=state)
    return event


@pytest.mark.parametrize(
    ("scheme", "ratio", "closer"),
    [("light", 1, 0), ("light", 3, 8), ("dark", 1, 5), ("dark", 3, 0)],
)
def test_the_picture_is_the_same_with_and_without_a_worker(
    open_seats, hall, fan, scheme, ratio, closer
):
    options = {"color_scheme": scheme, "device_scale_factor": ratio, "reduced_motion": "reduce"}
    pages = [
        open_seats(hall, fan, **with_script(script), **options)
        for script in ("", ON_PAGE, ON_OLD_PAGE)
    ]
    assert [len(page.workers) for page in pages] == [1, 0, 0]
    for page in pages:
        is_live(page)
        is_drawn(page)
        for _ in range(closer):
            page.locator("#map-view").press("+")
        page.get_by_role("heading", level=1).click()  # the focus is not on the map

    poll_page(pages[0], lambda: len({picture(page) for page in pages}) == 1)
    assert bool(pages[0].locator("#map-view[data-near]").count()) == bool(closer)


def test_live_changes_and_chosen_seats_are_drawn_by_the_worker(open_seats, sale, fan, rival):
    pages = [open_seats(sale, fan, **with_script(script)) for script in ("", ON_PAGE)]
    for page in pages:
        is_live(page)
        is_drawn(page)
    poll_page(pages[0], lambda: picture(pages[0]) == picture(pages[1]))
    before = picture(pages[0])

    hold(sale, rival, seat(sale, 1, 6))
    tap_seat(pages[0], 1, 3)

    poll_page(pages[0], lambda: picture(pages[0]) != before)
    tap_seat(pages[1], 1, 3)
    poll_page(pages[0], lambda: picture(pages[0]) == picture(pages[1]) != before)


@pytest.mark.parametrize("script", ["", ON_PAGE])
def test_a_switch_to_dark_colours_draws_all_of_it_again(open_seats, hall, fan, script):
    light, dark = (
        open_seats(hall, fan, color_scheme=scheme, **with_script(script))
        for scheme in ("light", "dark")
    )
    for page in (light, dark):
        is_live(page)
        is_drawn(page)
    assert picture(light) != picture(dark)

    light.emulate_media(color_scheme="dark")

    poll_page(light, lambda: picture(light) == picture(dark))


# As browser extensions do, before the page's own scripts run.
ADD_STYLE = """new MutationObserver((_, observer) => {
  if (!document.head) return;
  observer.disconnect();
  const style = document.createElement("style");
  style.textContent = '@font-face { font-family: Theirs; src: url("theirs.woff2"); }';
  document.head.append(style);
}).observe(document, { childList: true, subtree: true });"""


def test_the_map_is_drawn_beside_style_sheets_of_browser_extensions(open_seats, hall, fan):
    page = open_seats(hall, fan, bypass_csp=True, **with_script(ADD_STYLE))

    is_drawn(page)

    assert page.locator("style").count() == 1


def test_where_the_worker_can_not_be_loaded_the_page_draws(open_seats, hall, fan):
    """As in browsers whose workers can't import modules."""
    whole = open_seats(hall, fan)
    broken = open_seats(
        hall, fan, prepare=lambda page: page.route("**/drawing_worker.*", lambda it: it.abort())
    )
    for page in (whole, broken):
        is_live(page)
        is_drawn(page)

    assert broken.workers == []
    poll_page(broken, lambda: picture(broken) == picture(whole))


# Keeps where on the map the section's name was last written, from its left to its right.
KEEP_TITLES = f"""{ON_PAGE}
  window.titles = [];
  const {{prototype}} = CanvasRenderingContext2D, own = prototype.fillText;
  prototype.fillText = function (words, ...at) {{
    if (this.canvas.parentElement?.id === "map-view" && /^A$|block/.test(words)) {{
      const {{a, e}} = this.getTransform(), half = this.measureText(words).width * a / 2;
      titles.push([words, e - half, e + half, this.canvas.width]);
    }}
    return own.call(this, words, ...at);
  }};
"""


def test_the_name_of_a_section_stays_in_view_beside_and_above_it(open_seats, hall, fan):
    page = open_seats(hall, fan, reduced_motion="reduce", **with_script(KEEP_TITLES))
    is_live(page)
    view = page.locator("#map-view")
    for _ in range(3):
        view.press("+")
    touch, (x, y) = fingers_on(page), middle_of(page)
    for _ in range(3):  # to its left end
        touch("touchStart", (x - 150, y))
        for step in range(-150, 150, 20):
            touch("touchMove", (x + step, y))
        touch("touchEnd")
    page.evaluate(PAINTED)

    titles = page.evaluate("titles")
    assert len({left for _, left, *_ in titles}) > 5  # it moves with what is seen of the section
    assert {words for words, *_ in titles if "block" in words}
    assert [it for it in titles if it[1] < 0 or it[2] > it[3]] == []


# -- to know where one is --------------------------------------------------------------------------


def test_the_drawing_moves_under_a_finger_and_is_sharp_afterwards(open_seats, sale, fan):
    page = open_seats(sale, fan, **with_script(KEEP_COPIES))
    is_live(page)
    touch, (x, y) = fingers_on(page), middle_of(page)
    page.wait_for_function(IS_SHARP)

    touch("touchStart", (x - 20, y), (x + 20, y))
    touch("touchMove", (x - 25, y), (x + 25, y))
    touch("touchMove", (x - 33, y), (x + 33, y))
    page.wait_for_function("() => copies.some(([left, top, wide]) => wide > 256)")
    touch("touchEnd")

    page.wait_for_function(IS_SHARP)
    expect(page.locator("#map-view[data-near]")).to_have_count(1)


def test_a_tap_right_after_a_movement_chooses_the_seat_that_is_shown(open_seats, sale, fan):
    page = open_seats(sale, fan, reduced_motion="reduce")  # zooms at once
    is_live(page)
    touch, (x, y) = fingers_on(page), spot_of(page, 2, 4)
    page.get_by_role("button", name="Zoom in").tap()
    expect(page.locator("#map-view[data-near]")).to_have_count(1)
    before = page.locator("#map-view").bounding_box()
    page.touchscreen.tap(x, y)
    expect(chosen(page)).to_have_count(1)
    name = chosen(page).inner_text()
    page.locator("[data-chosen] [data-remove]").tap()
    expect(chosen(page)).to_have_count(0)
    view_of(page)
    page.locator("#map-view").tap(trial=True)  # waits until it stands still
    after = view_of(page)
    x, y = x + after["x"] - before["x"], y + after["y"] - before["y"]

    touch("touchStart", (x, y))
    for step in (12, 24, 36):
        touch("touchMove", (x + step, y + step))
    touch("touchEnd")
    page.touchscreen.tap(x + 36, y + 36)

    expect(chosen(page)).to_have_text([name])


def card(page: Page):
    return page.locator("[data-card]")


def test_pointing_at_a_seat_says_what_and_where_it_is(open_seats, sale, fan):
    page = open_seats(sale, fan, viewport={"width": 1440, "height": 900})
    is_live(page)
    page.mouse.move(*spot_of(page, 2, 3))
    expect(card(page)).to_contain_text("Section A, row 2, seat 3")

    page.locator("#map-view").focus()
    page.keyboard.press("ArrowDown")
    expect(card(page)).to_contain_text("Section A, row 1, seat 5")
    expect(card(page)).to_contain_text("R seat ₩132,000")
    expect(card(page)).to_contain_text("free")
    expect(card(page)).to_contain_text("Row 1 of 3 from the stage · facing the stage")


def test_a_section_is_shown_whole_and_taps_beside_it_do_nothing(open_seats, site, now, fan):
    big = make_event(now, plan=make_plan(rows=40, seats_per_row=60, standing=30))
    page = open_seats(big, fan, prepare=lambda page: page.clock.install())
    is_live(page)
    near = page.locator("#map-view[data-near]")

    page.touchscreen.tap(*middle_of(page, down=0.02))  # beside all of it
    page.clock.run_for(1_000)
    expect(near).to_have_count(0)
    page.touchscreen.tap(*middle_of(page))
    page.clock.run_for(1_000)

    expect(near).to_have_count(1)
    expect(card(page)).to_contain_text("Section A")
    expect(card(page)).to_contain_text("A: 2,400 of 2,400 available")


def test_the_overview_moves_the_visible_part(open_seats, sale, fan):
    page = open_seats(sale, fan, viewport={"width": 1440, "height": 900})
    is_live(page)
    page.get_by_role("button", name="Zoom in").click()
    expect(page.locator("#map-view[data-near]")).to_have_count(1)
    overview = page.locator("[data-overview]").bounding_box()

    def moved() -> bool:
        before = picture(page)
        for part in (0.1, 0.9):
            page.mouse.click(overview["x"] + overview["width"] * part, overview["y"] + 40)
        return picture(page) != before

    poll_page(page, moved)


def test_only_free_seats_are_visited_if_the_fan_wants_so(open_seats, sale, fan, rival):
    hold(sale, rival, seat(sale, 1, 6))
    page = open_seats(sale, fan)
    is_live(page)
    page.get_by_role("button", name="Only free seats").tap()
    expect(page.get_by_role("button", name="Only free seats", pressed=True)).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("R seat"))).to_contain_text("(15 left)")

    page.locator("#map-view").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")

    expect(page.locator("#map-spoken")).to_contain_text("Section A, row 1, seat 7")


# The page's script gets its seats when the test lets it.
HOLD_LIST = """
  const own = window.fetch;
  const allowed = new Promise((go) => { window.allowList = go; });
  window.fetch = async (...all) => { await allowed; return own(...all); };
"""
LIST_TOP = "document.getElementById('by-section').getBoundingClientRect().top + scrollY"
PAINTED = "() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))"


@pytest.mark.parametrize("size", [(390, 844), (412, 823), (1440, 900)])
@pytest.mark.parametrize("is_known", [True, False])
def test_nothing_moves_when_the_map_takes_the_place_of_the_plain_drawing(
    open_seats, sale, fan, size, is_known
):
    viewport = dict(zip(("width", "height"), size, strict=True))
    scripts = {"prepare": lambda page: page.add_init_script(HOLD_LIST)}
    page = open_seats(sale, fan if is_known else None, viewport=viewport, **scripts)
    expect(page.locator("#plain-house")).to_be_visible()
    page.evaluate("document.fonts.ready.then(() => null)")
    page.evaluate(PAINTED)
    before = page.evaluate(LIST_TOP)

    page.evaluate("allowList()")
    is_live(page)
    page.evaluate(PAINTED)

    assert page.evaluate(LIST_TOP) == pytest.approx(before, abs=1)


OVERLAPS = """() => {
  const box = (name) => document.querySelector(name).getBoundingClientRect();
  const map = box("#map-view");
  return [".map__tools", ".map__mini", ".seat-card", ".choice", ".map__filter"].filter((name) => {
    const it = box(name);
    return it.left < map.right && it.right > map.left && it.top < map.bottom && it.bottom > map.top;
  });
}"""


def test_nothing_lies_over_the_map(open_seats, sale, fan):
    for width, height in ((390, 844), (1440, 900)):
        page = open_seats(sale, fan, viewport={"width": width, "height": height})
        is_live(page)
        tap_seat(page, 1, 3)
        expect(chosen(page)).to_have_count(1)

        assert page.evaluate(OVERLAPS) == []


# -- with keys -------------------------------------------------------------------------------------


def test_two_seats_are_picked_with_the_keyboard_and_every_step_is_spoken(open_seats, sale, fan):
    page = open_seats(sale, fan)
    is_live(page)
    spoken = page.locator("#map-spoken")
    page.locator("#map-view").focus()

    page.keyboard.press("ArrowDown")
    expect(spoken).to_have_text("Section A, row 1, seat 5: R seat, ₩132,000, free")
    page.keyboard.press("Enter")
    expect(spoken).to_have_text("Section A, row 1, seat 5 chosen. 1 seat · ₩132,000.")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(spoken).to_have_text("Section A, row 2, seat 6: R seat, ₩132,000, free")
    page.keyboard.press("Space")
    page.keyboard.press("Escape")

    expect(chosen(page)).to_have_text(["Section A, row 1, seat 5", "Section A, row 2, seat 6"])
    page.get_by_role("button", name="Hold these seats").press("Enter")
    is_held(page, "Section A, row 2, seat 6")


def test_tab_leaves_the_map(open_seats, sale, fan):
    page = open_seats(sale, fan)
    is_live(page)
    page.locator("#map-view").focus()
    page.keyboard.press("ArrowDown")

    page.keyboard.press("Tab")

    expect(page.get_by_role("button", name="Zoom in")).to_be_focused()


# -- against others --------------------------------------------------------------------------------


def test_a_seat_that_somebody_takes_meanwhile_is_marked_and_explained(open_seats, sale, fan, rival):
    ann, ben = open_seats(sale, fan), open_seats(sale, rival)
    for page in (ann, ben):
        is_live(page)
        tap_seat(page, 1, 3)
    tap_seat(ann, 1, 4)
    expect(chosen(ann)).to_have_count(2)

    press_hold(ben)
    is_held(ben, "Section A, row 1, seat 3")

    expect(ann.get_by_role("alert")).to_have_text(
        "Someone else took Section A, row 1, seat 3. "
        "It was removed from your selection; the others stay selected."
    )
    expect(ann.locator(".chosen[data-gone]")).to_contain_text("No longer available")
    expect(ann.locator("[data-sum]")).to_have_text("1 seat · ₩132,000")
    press_hold(ann)
    is_held(ann, "Section A, row 1, seat 4")


def test_a_seat_that_comes_back_can_be_had_again(open_seats, sale, fan, rival):
    held = hold(sale, rival, seat(sale, 1, 3))
    page = open_seats(sale, fan)
    is_live(page)

    services.release(event_id=sale.pk, code=held.code, fan_id=rival.pk, now=clock.now())

    def tapped() -> bool:
        tap_seat(page, 1, 3)
        return chosen(page).count() > 0

    poll_page(page, tapped)
    expect(chosen(page)).to_have_text(["Section A, row 1, seat 3"])


NOTHING = '{"type": "seats", "changes": {}}'


def deaf(page: Page) -> None:
    """The socket opens, says that nothing changed, and then nothing more."""
    page.route_web_socket("**/ws/events/*/seats/", lambda socket: socket.send(NOTHING))


def test_who_loses_the_race_is_told_which_seat_and_keeps_the_others(open_seats, sale, fan, rival):
    page = open_seats(sale, fan, prepare=deaf)
    is_live(page)
    tap_seat(page, 1, 3)
    tap_seat(page, 1, 4)
    expect(chosen(page)).to_have_count(2)
    page.wait_for_load_state("networkidle")
    page.route("**/api/v1/events/*/seats/", lambda route: route.fulfill(status=304))
    hold(sale, rival, seat(sale, 1, 3))

    press_hold(page)

    expect(page.get_by_role("alert")).to_have_text(
        re.compile(
            r"^Someone else was faster: Section A, row 1, seat 3 "
            r"\(held by someone else; may be free again at \d\d:\d\d\)\. "
            r"Removed from your selection; the others stay selected\.$"
        )
    )
    expect(chosen(page)).to_have_text(["Section A, row 1, seat 4"])
    press_hold(page)
    is_held(page, "Section A, row 1, seat 4")


def test_who_presses_while_another_tries_waits_and_is_offered_similar_seats(
    open_seats, sale, fan, rival
):
    one = seat(sale, 1, 3)
    page = open_seats(sale, fan)
    is_live(page)
    tap_seat(page, 1, 3)
    gate.begin_attempt(sale.pk, rival.pk, [one], clock.now())

    press_hold(page)
    waiting = page.locator("[data-waiting]")
    expect(waiting).to_have_text(
        "One moment, please Someone else is choosing this seat. You are next."
    )
    order = {"event_id": sale.pk, "fan_id": rival.pk, "key": "", "now": clock.now()}
    reserve_seats(choice=services.SeatChoice.named([one]), **order)
    services.process_hold_requests(now=clock.now())

    expect(page.get_by_role("alert")).to_contain_text("seat 3 (held by someone else; may be free")
    expect(waiting).to_be_hidden()
    expect(page.locator("[data-similar-seats]")).to_have_text("A similar seat: R seat, ₩132,000")
    assert violations(page) == []
    page.get_by_role("button", name="Hold similar seats").tap()
    is_held(page)
    assert Reservation.objects.filter(fan=fan).get().seats.get().seat_id != one


def test_who_waits_and_gets_the_seat_comes_to_the_basket(open_seats, sale, fan, rival):
    one = seat(sale, 1, 3)
    page = open_seats(sale, fan)
    is_live(page)
    tap_seat(page, 1, 3)
    gate.begin_attempt(sale.pk, rival.pk, [one], clock.now())

    press_hold(page)
    expect(page.locator("[data-waiting]")).to_be_visible()
    services.process_hold_requests(now=clock.now())

    is_held(page, "Section A, row 1, seat 3")


def test_a_choice_that_leaves_one_seat_alone_says_which_and_what_to_do(open_seats, sale, fan):
    Event.objects.update(no_orphans=True)
    page = open_seats(sale, fan)
    is_live(page)
    tap_seat(page, 1, 2)

    press_hold(page)

    expect(page.get_by_role("alert")).to_have_text(
        "This choice would leave a single empty seat. This would leave a single seat: "
        "Section A, row 1, seat 1. Move your choice by one seat, so that no seat is left alone."
    )
    expect(chosen(page)).to_have_count(1)


HOLDING = re.compile("/reservations/")


def test_without_the_network_the_choice_is_kept(open_seats, sale, fan):
    page = open_seats(sale, fan)
    is_live(page)
    tap_seat(page, 1, 2)
    page.route(HOLDING, lambda route: route.abort())

    press_hold(page)

    expect(page.get_by_role("alert")).to_contain_text("The server can’t be reached.")
    page.unroute(HOLDING)
    press_hold(page)
    is_held(page, "Section A, row 1, seat 2")


def test_what_was_chosen_is_still_chosen_after_loading_the_page_again(open_seats, sale, fan):
    page = open_seats(sale, fan)
    is_live(page)
    tap_seat(page, 1, 2)
    expect(chosen(page)).to_have_count(1)

    page.reload()

    expect(chosen(page)).to_have_text(["Section A, row 1, seat 2"])


def test_where_websockets_are_broken_the_page_asks(open_seats, sale, fan, rival):
    def broken(page):
        page.clock.install()
        page.route_web_socket("**/ws/events/*/seats/", lambda socket: socket.close())

    page = open_seats(sale, fan, prepare=broken)
    status, gone = connection_status(page), page.locator(".chosen[data-gone]")
    skip_time_until(page, lambda: status.inner_text() == "Checking every 4 s")
    tap_seat(page, 1, 3)

    hold(sale, rival, seat(sale, 1, 3))

    skip_time_until(page, lambda: gone.count() == 1)
    expect(page.get_by_role("alert")).to_contain_text("Someone else took Section A, row 1, seat 3")


def test_a_socket_that_opens_late_has_the_list_asked_for_again(open_seats, sale, fan, rival):
    """Its first frame has the changes of the last seconds only."""
    sockets = []

    def silent(page: Page) -> None:
        page.clock.install()
        page.route_web_socket("**/ws/events/*/seats/", lambda socket: sockets.append(socket))

    page = open_seats(sale, fan, prepare=silent)
    gone = page.locator(".chosen[data-gone]")
    page.wait_for_load_state("networkidle")
    tap_seat(page, 1, 3)
    expect(chosen(page)).to_have_count(1)
    hold(sale, rival, seat(sale, 1, 3))
    page.clock.fast_forward(15_000)
    assert not gone.count()

    sockets[-1].send(NOTHING)

    expect(gone).to_have_count(1)


def test_news_without_end_does_not_put_the_list_off(open_seats, sale, fan):
    """Standing places are counted in the list alone: what is pushed only says that it changed."""
    sockets, asked = [], []

    def greeted(page: Page) -> None:
        def greet(socket):
            sockets.append(socket)
            socket.send(NOTHING)

        page.clock.install()
        page.route_web_socket("**/ws/events/*/seats/", greet)

    page = open_seats(sale, fan, prepare=greeted)
    is_live(page)
    page.wait_for_load_state("networkidle")
    page.on("request", lambda request: asked.append(request.url))
    lists = f"/api/v1/events/{sale.pk}/seats/"

    for _ in range(100):
        sockets[-1].send('{"type": "seats", "changes": {"999999999": "h"}}')
        page.clock.run_for(250)
        page.wait_for_timeout(10)
        if any(url.endswith(lists) for url in asked):
            break

    assert any(url.endswith(lists) for url in asked)


def test_what_operators_hold_back_disappears_from_the_sale(open_seats, sale, fan):
    page = open_seats(sale, fan, prepare=lambda page: page.clock.install())
    is_live(page)
    tap_seat(page, 1, 3)
    expect(chosen(page)).to_have_count(1)

    block_seats(event_id=sale.pk, seat_ids=[seat(sale, 1, 3)], by=None, reason="", now=clock.now())

    gone = page.locator(".chosen[data-gone]")
    skip_time_until(page, lambda: gone.count() == 1)


# -- behind the queue ------------------------------------------------------------------------------


@pytest.fixture
def behind_a_line(sale, now) -> Event:
    SaleQueue.objects.create(event=sale, opens_at=now, admit_per_second=0)
    queue.move_queue(event_id=sale.pk, to="open", by=None, now=clock.now())
    return sale


def test_who_is_not_inside_sees_the_live_map_and_the_way_to_the_line(
    open_seats, behind_a_line, fan
):
    page = open_seats(behind_a_line, fan)
    is_live(page)
    tap_seat(page, 1, 3)

    expect(page.locator("[data-hint]")).to_have_text(
        "You can look around, but not choose seats yet."
    )
    page.get_by_role("link", name="Go to the line").tap()
    page.wait_for_url("**/queue/")


def test_the_pass_is_renewed_and_its_end_is_said(open_seats, behind_a_line, fan):
    queue.join(event_id=behind_a_line.pk, person=str(fan.pk), now=clock.now())
    page = open_seats(behind_a_line, fan)
    is_live(page)
    expect(page.get_by_text("It is your turn.")).to_be_visible()
    turn = "document.dispatchEvent(new Event('visibilitychange'))"
    with page.expect_response("**/queue/") as asked:
        page.evaluate(turn)
    assert asked.value.json()["state"] == "ADMITTED"
    assert asked.value.request.headers["authorization"].startswith("Bearer qr_")
    tap_seat(page, 1, 3)

    queue.leave(event_id=behind_a_line.pk, person=str(fan.pk), now=clock.now())
    page.evaluate(turn)

    expect(page.locator("#pass-over")).to_contain_text("Your time inside has ended")
    expect(page.get_by_role("button", name="Hold these seats")).to_be_disabled()


def test_going_on_in_another_browser_is_visible_in_both(open_seats, behind_a_line, fan):
    """A phone and a laptop of one person: the seats are held where the person went on last."""
    phone = open_seats(behind_a_line, fan, "queue/")
    phone.get_by_role("button", name="Join the line").tap()
    phone.wait_for_url("**/seats/")
    is_live(phone)
    tap_seat(phone, 1, 3)
    expect(chosen(phone)).to_have_count(1)

    laptop = open_seats(behind_a_line, fan)
    is_live(laptop)
    note = laptop.locator("#pass-elsewhere")
    expect(note).to_contain_text("in another browser or on another device")
    assert violations(laptop) == []
    note.get_by_role("button", name="Go on here").tap()
    expect(laptop.get_by_text("It is your turn.")).to_be_visible()

    moved = phone.locator("#pass-moved")
    expect(moved).to_contain_text("in another browser or on another device")
    expect(phone.get_by_role("button", name="Hold these seats")).to_be_disabled()
    is_live(laptop)
    tap_seat(laptop, 1, 4)
    press_hold(laptop)
    laptop.wait_for_url("**/basket/")

    moved.get_by_role("button", name="Go on here").tap()
    is_live(phone)
    expect(phone.get_by_text("It is your turn.")).to_be_visible()
    assert Reservation.objects.filter(fan=fan).count() == 1


def test_without_a_script_the_page_leads_on_too(open_seats, behind_a_line, fan):
    queue.join(event_id=behind_a_line.pk, person=str(fan.pk), now=clock.now(), browser="phone")
    page = open_seats(behind_a_line, fan, java_script_enabled=False)

    page.get_by_role("button", name="Go on here").tap()

    expect(page.get_by_text("It is your turn.")).to_be_visible()


# -- the basket ------------------------------------------------------------------------------------


def test_the_timer_goes_by_the_servers_clock(open_seats, sale, fan):
    hold(sale, fan, seat(sale, 1, 1))

    def wrong_clock(page):
        page.clock.install(time=clock.now() + timedelta(days=3))

    page = open_seats(sale, fan, "basket/", prepare=wrong_clock)

    expect(page.get_by_role("timer")).to_have_text(re.compile(r"^(5:00|4:5\d)$"))


def test_when_the_time_is_up_the_page_says_so(open_seats, sale, fan):
    Event.objects.filter(pk=sale.pk).update(hold_seconds=10)
    hold(sale, fan, seat(sale, 1, 1))
    page = open_seats(sale, fan, "basket/", prepare=lambda page: page.clock.install())
    expect(page.get_by_role("timer")).to_have_text(re.compile(r"^0:\d\d$"))

    Reservation.objects.update(deadline=clock.now())
    page.clock.fast_forward(10_000)

    expect(page.get_by_text("Your basket is empty")).to_be_visible()


def test_seats_are_given_back(open_seats, sale, fan):
    hold(sale, fan, seat(sale, 1, 1))
    page = open_seats(sale, fan)
    page.get_by_role("link", name="To your basket").tap()
    page.get_by_role("button", name="Release these seats").tap()

    expect(page.get_by_text("Your seats have been released.")).to_be_visible()
    assert Reservation.objects.get().state == "released"


# -- without a script ------------------------------------------------------------------------------


def test_without_a_script_seats_are_ticked_in_the_list(open_seats, sale, fan, rival):
    page = open_seats(sale, fan, java_script_enabled=False, has_touch=False)
    expect(page.locator("#seat-map")).to_be_hidden()
    page.get_by_role("table").get_by_role("link", name="Section A").click()
    first = page.get_by_role("group", name=re.compile("^Row 1"))
    for number in ("2", "3"):
        first.get_by_role("checkbox", name=number, exact=True).check()
    hold(sale, rival, seat(sale, 1, 2))
    send = page.get_by_role("button", name="Hold the selected seats")

    send.click()
    refusal = "Someone else was faster. Section A, row 1, seat 2 (held by someone else"
    expect(page.get_by_text(refusal)).to_be_visible()
    expect(first.get_by_role("checkbox", name="3", exact=True)).to_be_checked()
    send.click()

    is_held(page, "Section A, row 1, seat 3")
    page.get_by_role("button", name="Release these seats").click()
    page.get_by_role("button", name="Hold the best seats").click()
    is_held(page)


# -- every face ------------------------------------------------------------------------------------


def test_axe_finds_nothing(open_seats, sale, fan):
    page = open_seats(sale, fan, reduced_motion="reduce")
    is_live(page)
    tap_seat(page, 1, 3)
    assert violations(page) == []
    press_hold(page)
    is_held(page)
    assert violations(page) == []
    for path in ("seats/", "seats/A/", "seats/F/"):
        page.goto(f"/events/{sale.pk}/{path}")
        assert violations(page) == [], path


def test_small_phones_have_room_and_fingers_find_every_control(open_seats, sale, fan):
    page = open_seats(sale, fan, viewport={"width": 320, "height": 640})
    is_live(page)
    hold(sale, fan, seat(sale, 3, 1))
    for path in ("seats/", "seats/A/", "seats/F/", "basket/"):
        page.goto(f"/events/{sale.pk}/{path}")
        assert page.evaluate("document.documentElement.scrollWidth") == 320, path
        assert page.evaluate(SMALL_CONTROLS) == [], path
