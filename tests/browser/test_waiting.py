"""The waiting page in a real browser: two fans, an operator, and networks of every kind."""

import json
import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser.conftest import (
    PHONE,
    connection_status,
    log_in,
    poll_page,
    skip_time_until,
)
from tests.browser.quality import SMALL_CONTROLS, WIDTH, violations
from tests.making import make_event, make_user
from tests.waiting_queue.views.test_labels import RANGES
from ticketing.core import clock
from waiting_queue import services, store
from waiting_queue.models import SaleQueue, WaitingPage
from waiting_queue.views.page_state import PageState

# People whom nobody logs in as.
INSIDE, OTHERS = "900000", range(900_001, 900_006)


@pytest.fixture
def queue(site, now, operator) -> SaleQueue:
    """Somebody is inside, there is no room for another, and five wait."""
    event = make_event(now)
    queue = SaleQueue.objects.create(event=event, opens_at=now, admit_per_second=0)
    move(queue, "open")
    join(queue, INSIDE)
    SaleQueue.objects.update(max_inside=1)
    tick()
    join(queue, *OTHERS)
    return queue


@pytest.fixture
def lobby(site, now, operator) -> SaleQueue:
    opens_at = now + timedelta(hours=1)
    queue = SaleQueue.objects.create(event=make_event(now), opens_at=opens_at)
    SaleQueue.objects.update(admit_per_second=0.001)  # nobody is called while we look
    move(queue, "lobby")
    return queue


@pytest.fixture
def ignored_errors() -> tuple[str, ...]:
    """What the browser says by itself where a test takes connections away."""
    return ("Failed to load resource",)


@pytest.fixture
def open_queue_page(open_page) -> Callable[..., Page]:
    """Open a queue's page as somebody, on their own phone."""

    def opened(queue, user=None, **options) -> Page:
        return open_page(address(queue), user, **options)

    return opened


@pytest.fixture
def frequent_refreshes(monkeypatch) -> None:
    """A page without a script looks again each second where it would look again at all."""
    seconds = PageState.refresh_after.fget
    monkeypatch.setattr(PageState, "refresh_after", property(lambda scene: seconds(scene) and 1))


def address(queue) -> str:
    return f"/events/{queue.pk}/queue/"


def move(queue, to):
    services.move_queue(event_id=queue.pk, to=to, by=None, now=clock.now())


def join(queue, *people):
    for person in people:
        services.join(event_id=queue.pk, person=str(person), now=clock.now())


def leave(queue, *people):
    for person in people:
        services.leave(event_id=queue.pk, person=str(person), now=clock.now())


def make_room(queue):
    SaleQueue.objects.filter(pk=queue.pk).update(max_inside=100)


def tick():
    services.tick_open_queues(now=clock.now())


def tick_until(page: Page, true: Callable[[], bool]) -> None:
    """Run the queue's tick again and again until it is true."""

    def ticked() -> bool:
        tick()
        return true()

    poll_page(page, lambda: true() or ticked())


def ahead(page: Page) -> str:
    return page.locator("[data-ahead]").inner_text()


def shows(page: Page, words: str) -> Callable[[], bool]:
    return lambda: page.get_by_text(words).first.is_visible()


def headed(page: Page, words: str) -> Callable[[], bool]:
    return lambda: page.get_by_role("heading", level=1).inner_text() == words


# -- two fans and an operator ----------------------------------------------------------------------


def test_two_fans_join_watch_the_number_fall_are_called_and_come_in(open_queue_page, queue):
    ann, ben = (open_queue_page(queue, make_user()) for _ in range(2))
    for page in (ann, ben):
        page.get_by_role("button", name="Join the line").click()
        expect(connection_status(page)).to_have_text("Live")
    assert (ahead(ann), ahead(ben)) == ("5", "6")

    leave(queue, *OTHERS[:2])
    tick_until(ann, lambda: (ahead(ann), ahead(ben)) == ("3", "4"))
    expect(ann).to_have_title(re.compile("^3 ahead · "))

    leave(queue, *OTHERS[2:])
    SaleQueue.objects.update(max_inside=2)
    tick_until(ann, headed(ann, "It is your turn"))
    expect(ann).to_have_title(re.compile("^🔔 It is your turn"))
    expect(ann.get_by_role("timer")).to_have_text(re.compile(r"^(0:\d\d|1:00)$"))
    expect(ben.get_by_text("You are next.").first).to_be_visible()

    ann.get_by_role("button", name="Come in").click()
    ann.wait_for_url(f"**/events/{queue.pk}/seats/")
    ann.goto(address(queue))
    expect(ann.get_by_role("heading", level=1)).to_have_text("You are in")


def test_a_pause_its_end_and_the_organisers_message_are_seen(open_queue_page, queue, operator):
    page = open_queue_page(queue, make_user())
    page.get_by_role("button", name="Join the line").click()

    move(queue, "paused")
    now = clock.now()
    services.set_notice(event_id=queue.pk, message="Back at nine.", by=operator, now=now)
    tick_until(page, shows(page, "The line is paused: nobody is being let in"))
    tick_until(page, shows(page, "Back at nine."))
    expect(page.locator("span[data-eta]")).to_have_text("not available while the line is paused")

    move(queue, "open")
    services.set_notice(event_id=queue.pk, message="", by=operator, now=clock.now())
    tick_until(page, lambda: not shows(page, "The line is paused: nobody is being let in")())
    tick_until(page, lambda: not shows(page, "Back at nine.")())


def test_leaving_takes_a_second_look_and_shows_in_the_other_tab(open_queue_page, queue, fan):
    page = open_queue_page(queue, fan, prepare=lambda page: page.clock.install())
    page.get_by_role("button", name="Join the line").click()
    expect(connection_status(page)).to_have_text("Live")
    other = page.context.new_page()
    other.goto(address(queue))
    expect(connection_status(other)).to_have_text("Live")

    page.get_by_role("link", name="Leave the line").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Leave the line?")
    page.get_by_role("button", name="Leave the line").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("You left the line")
    tick()
    skip_time_until(other, headed(other, "You left the line"))


def test_coming_in_on_one_device_takes_the_other_there_too(open_queue_page, queue, fan):
    page, other = open_queue_page(queue, fan), open_queue_page(queue, fan)
    page.get_by_role("button", name="Join the line").click()
    expect(connection_status(page)).to_have_text("Live")
    other.reload()
    leave(queue, *OTHERS)
    make_room(queue)
    tick_until(page, headed(page, "It is your turn"))
    expect(other.get_by_role("button", name="Come in")).to_be_visible()

    page.get_by_role("button", name="Come in").click()

    tick()
    other.wait_for_url(f"**/events/{queue.pk}/seats/")


def test_the_lobby_turns_into_the_line_without_asking_for_anything(open_queue_page, lobby):
    page = open_queue_page(lobby, make_user())
    page.get_by_role("button", name="Join the lobby").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("You are in the lobby")
    expect(connection_status(page)).to_have_text("Live")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    join(lobby, *OTHERS[:3])
    move(lobby, "open")

    tick_until(page, headed(page, "You are in line"))

    expect(page.locator("[data-total]")).to_have_text(re.compile(r"^[1-4]$"))
    assert [url for url in asked if "part=1" in url] == []


def test_a_page_that_waits_for_the_lobby_turns_by_itself(open_queue_page, site, now):
    event, soon = make_event(now), clock.now() + timedelta(seconds=30)
    opens_at = now + timedelta(hours=1)
    queue = SaleQueue.objects.create(event=event, lobby_opens_at=soon, opens_at=opens_at)
    page = open_queue_page(queue, make_user(), prepare=lambda page: page.clock.install())
    expect(page.get_by_role("heading", level=1)).to_have_text("The line is not open yet")

    services.tick_open_queues(now=soon)

    join_lobby = page.get_by_role("button", name="Join the lobby")
    skip_time_until(page, join_lobby.is_visible)


def test_a_turn_that_passed_is_told_and_the_way_back_is_there(open_queue_page, queue, fan):
    page = open_queue_page(queue, fan)
    page.get_by_role("button", name="Join the line").click()
    expect(connection_status(page)).to_have_text("Live")
    store.run(store.leave(queue.pk, str(fan.pk), clock.now(), how="expired"))

    tick_until(page, headed(page, "Your turn has ended"))
    page.get_by_role("button", name="Join the line again").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("You are in line")


def test_a_closed_queue_sends_everybody_home(open_queue_page, queue):
    page = open_queue_page(queue, make_user())
    page.get_by_role("button", name="Join the line").click()
    expect(connection_status(page)).to_have_text("Live")

    move(queue, "closed")

    tick_until(page, headed(page, "The queue is closed"))
    expect(page.get_by_role("link", name="To the event")).to_be_visible()


# -- networks --------------------------------------------------------------------------------------


def without_sockets(page: Page, tries: list[str] | None = None) -> None:
    """Close each websocket at once, and note its address."""

    def close(socket: WebSocketRoute) -> None:
        (tries if tries is not None else []).append(socket.url)
        socket.close()

    page.clock.install()
    page.route_web_socket(re.compile("/ws/"), close)


def without_streams(page: Page) -> None:
    without_sockets(page)
    page.route("**/queue/stream", lambda route: route.abort())


def test_without_websockets_it_is_a_stream(open_queue_page, queue, fan):
    join(queue, fan.pk)
    tries: list[str] = []
    page = open_queue_page(queue, fan, prepare=lambda page: without_sockets(page, tries))

    skip_time_until(page, lambda: len(tries) == 2, step=500)
    expect(connection_status(page)).to_have_text("Live (SSE)")
    leave(queue, OTHERS[0])
    tick_until(page, lambda: ahead(page) == "4")


def test_without_streams_it_polls_and_still_sees_its_turn(open_queue_page, queue, fan):
    join(queue, fan.pk)
    page = open_queue_page(queue, fan, prepare=without_streams)
    polling = re.compile(r"^Checking every \d+ s$")

    skip_time_until(page, lambda: polling.match(connection_status(page).inner_text()), step=500)
    leave(queue, *OTHERS)
    make_room(queue)
    tick()
    skip_time_until(page, headed(page, "It is your turn"))


def test_it_climbs_back_to_a_websocket_when_there_is_one_again(open_queue_page, queue, fan):
    join(queue, fan.pk)
    tries, broken = [], True

    def open_or_close(socket: WebSocketRoute) -> None:
        tries.append(socket.url)
        if broken:
            socket.close()
        else:
            socket.connect_to_server()

    def prepare(page: Page) -> None:
        page.clock.install()
        page.route_web_socket(re.compile("/ws/"), open_or_close)

    page = open_queue_page(queue, fan, prepare=prepare)
    skip_time_until(page, lambda: len(tries) == 2, step=500)
    expect(connection_status(page)).to_have_text("Live (SSE)")

    broken = False
    page.clock.fast_forward(75_000)

    expect(connection_status(page)).to_have_text("Live")


def test_a_server_that_restarts_is_reconnected_to_when_it_said(open_queue_page, queue, fan):
    join(queue, fan.pk)
    opened: list[str] = []

    def restart(socket: WebSocketRoute) -> None:
        opened.append(socket.url)
        if len(opened) > 1:
            socket.connect_to_server()
        else:
            socket.send('{"type":"reconnect","after_ms":25000}')

    def prepare(page: Page) -> None:
        page.clock.install()
        page.route_web_socket(re.compile("/ws/"), restart)

    page = open_queue_page(queue, fan, prepare=prepare)
    poll_page(page, lambda: len(opened) == 1)
    expect(connection_status(page)).to_have_text(re.compile("^Reconnecting"))

    page.clock.fast_forward(15_000)
    expect(connection_status(page)).to_have_text(re.compile("^Reconnecting"))
    assert len(opened) == 1
    page.clock.fast_forward(10_000)

    expect(connection_status(page)).to_have_text("Live")
    assert len(opened) == 2


def test_who_was_logged_out_elsewhere_is_asked_to_log_in(open_queue_page, queue, fan):
    join(queue, fan.pk)

    def prepare(page: Page) -> None:
        def log_out(socket: WebSocketRoute) -> None:
            page.context.clear_cookies(name="sessionid")
            socket.send('{"type":"error","code":"not_logged_in","message":"","details":{}}')
            socket.close(code=4401)

        page.clock.install()
        page.route_web_socket(re.compile("/ws/"), log_out)

    page = open_queue_page(queue, fan, prepare=prepare)

    skip_time_until(page, page.get_by_role("link", name="Log in to join").is_visible)


def test_turning_to_the_page_asks_at_once(open_queue_page, queue, fan):
    join(queue, fan.pk)
    page = open_queue_page(queue, fan)
    expect(connection_status(page)).to_have_text("Live")

    with page.expect_request(
        re.compile(rf"/api/v1/events/{queue.pk}/queue/(\?turn=\d+)?$")
    ) as asked:
        page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")

    assert asked.value.headers["authorization"].startswith("Bearer qr_")


def test_what_everybody_is_told_appears_at_once_and_in_words(open_queue_page, queue, fan):
    join(queue, fan.pk)
    grade = {"code": "R", "name_ko": "R석", "name_en": "R seat", "free": 1200}
    grades = [grade | {"likely": 9, "maybe": 9}, grade | {"free": 0, "likely": 0, "maybe": 0}]
    frames = [
        {"type": "outlook", "sold_out": True, "grades": grades},
        {"type": "notice", "message": "<b>Soon</b>"},
    ]

    def told(page):
        def tell(socket):
            for frame in frames:
                socket.send(json.dumps(frame))

        page.route_web_socket(re.compile("/ws/"), tell)

    page = open_queue_page(queue, fan, prepare=told)

    expect(page.locator("#line-view [data-grade-label]")).to_have_text(
        ["likely", "none left at the moment"]
    )
    expect(page.locator("#line-view [data-grade-free]").first).to_have_text("1,200 available")
    expect(page.get_by_role("heading", name="Sold out.")).to_be_visible()
    expect(page.locator("[data-notice-text]")).to_have_text("<b>Soon</b>")


# -- without javascript ----------------------------------------------------------------------------


def test_everything_works_without_javascript(open_queue_page, queue, frequent_refreshes):
    page = open_queue_page(queue, make_user(), java_script_enabled=False)
    page.get_by_role("button", name="Join the line").click()
    assert ahead(page) == "5"
    expect(page.locator(".status noscript")).to_be_visible()

    leave(queue, *OTHERS[:2])
    expect(page.locator("[data-ahead]")).to_have_text("3")  # by itself

    page.get_by_role("link", name="Leave the line").click()
    page.get_by_role("link", name="Stay").click()
    leave(queue, *OTHERS[2:])
    make_room(queue)
    tick()
    expect(page.get_by_role("button", name="Come in")).to_be_visible()
    page.get_by_role("button", name="Come in").click()
    page.wait_for_url(f"**/events/{queue.pk}/seats/")

    page.goto(f"{address(queue)}leave/")
    page.get_by_role("button", name="Leave the line").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("You left the line")


def test_what_only_a_script_can_do_is_not_offered_without_one(open_queue_page, queue, fan):
    join(queue, fan.pk)
    page = open_queue_page(queue, fan, java_script_enabled=False)

    expect(page.get_by_text("Alert me when it is my turn")).to_be_hidden()
    expect(connection_status(page)).to_have_text("")


# -- for everybody ---------------------------------------------------------------------------------


@pytest.fixture
def states(queue, lobby, now) -> dict[str, tuple[SaleQueue, object]]:
    """Somebody in each state, and where they see it."""
    people = {name: make_user() for name in ("join", "lobby", "waiting", "left", "expired")}
    people |= {name: make_user() for name in ("ready", "admitted", "blocked", "completed")}
    rules = {"opens_at": now, "admit_per_second": 0}
    calling = SaleQueue.objects.create(event=make_event(now), **rules)
    over = SaleQueue.objects.create(event=make_event(now), **rules, state="closed")
    soon = SaleQueue.objects.create(event=make_event(now), opens_at=now + timedelta(hours=1))
    move(calling, "open")
    join(calling, people["admitted"].pk, people["completed"].pk)
    services.complete(event_id=calling.pk, person=str(people["completed"].pk), now=clock.now())
    SaleQueue.objects.filter(pk=calling.pk).update(max_inside=1)
    tick()
    join(calling, people["ready"].pk)
    SaleQueue.objects.filter(pk=calling.pk).update(max_inside=9)
    tick()
    join(lobby, people["lobby"].pk)
    gone = ("left", "expired", "blocked")
    join(queue, people["waiting"].pk, *(people[name].pk for name in gone))
    for name in gone:
        person = str(people[name].pk)
        store.run(store.leave(queue.pk, person, clock.now(), how=name, why="Two bots."))
    where = dict.fromkeys(people, queue)
    where |= {"lobby": lobby, "ready": calling, "admitted": calling, "completed": calling}
    return {name: (where[name], people[name]) for name in people} | {
        "stranger": (queue, None),
        "closed": (over, None),
        "scheduled": (soon, None),
    }


def test_every_state_passes_axe_and_fits_a_small_phone(page, site, states):
    for name, (queue, person) in states.items():
        page.context.clear_cookies()
        if person:
            log_in(page.context, person, site)
        page.set_viewport_size(PHONE)
        page.goto(address(queue))
        scene = page.locator("#line").get_attribute("data-state")
        assert scene == {"stranger": "join"}.get(name, name)
        assert violations(page) == [], name
        page.set_viewport_size({"width": 320, "height": 640})
        assert page.evaluate(WIDTH) == 320, name
        assert page.evaluate(SMALL_CONTROLS) == [], name


def test_screen_readers_hear_the_number_seldom_and_a_turn_at_once(open_queue_page, queue, fan):
    join(queue, fan.pk)
    page = open_queue_page(queue, fan)
    expect(connection_status(page)).to_have_text("Live")
    page.evaluate("""() => {
        window.spoken = [];
        const place = document.getElementById("line-spoken");
        const note = () => spoken.push(place.textContent);
        new MutationObserver(note).observe(place, { childList: true });
    }""")

    for left, person in zip((4, 3, 2, 1), OTHERS, strict=False):
        leave(queue, person)
        tick_until(page, lambda left=left: ahead(page) == str(left))
    assert len(page.evaluate("spoken")) <= 1

    leave(queue, OTHERS[4])
    make_room(queue)
    tick_until(page, headed(page, "It is your turn"))
    assert page.evaluate("spoken").count("It is your turn") == 1
    assert page.evaluate("document.activeElement.textContent") == "It is your turn"


NOTIFYING = """(() => {
    window.asked = 0;
    window.shown = [];
    window.Notification = class {
        constructor(title) {
            if (ANSWER === "illegal") throw new TypeError("Illegal constructor");
            shown.push(title);
        }
        static async requestPermission() {
            asked += 1;
            return ANSWER === "denied" ? "denied" : "granted";
        }
    };
})()"""


def test_a_notification_comes_when_it_is_ones_turn_if_it_was_asked_for(open_queue_page, queue, fan):
    join(queue, fan.pk)
    script = NOTIFYING.replace("ANSWER", '"granted"')
    page = open_queue_page(queue, fan, prepare=lambda page: page.add_init_script(script))
    page.get_by_role("button", name="Notification").click()
    expect(page.get_by_role("button", name="Notification")).to_have_attribute(
        "aria-pressed", "true"
    )
    leave(queue, *OTHERS)
    make_room(queue)

    tick_until(page, headed(page, "It is your turn"))

    assert page.evaluate("shown") == ["This is how you will be alerted.", "It is your turn"]


@pytest.mark.parametrize("answer", ["denied", "illegal"])
def test_alarms_are_asked_for_only_by_their_buttons(open_queue_page, queue, fan, answer):
    join(queue, fan.pk)
    script = NOTIFYING.replace("ANSWER", f'"{answer}"')
    page = open_queue_page(queue, fan, prepare=lambda page: page.add_init_script(script))
    expect(connection_status(page)).to_have_text("Live")
    assert page.evaluate("asked") == 0

    page.get_by_role("button", name="Sound").click()
    page.get_by_role("button", name="Notification").click()

    expect(page.get_by_role("button", name="Sound")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("button", name="Notification")).to_have_attribute(
        "aria-pressed", "false"
    )
    expect(page.get_by_text("Your browser does not allow notifications")).to_be_visible()
    assert page.evaluate("asked") == 1


def test_nothing_is_left_in_the_console(page, queue, fan, site):
    """A breach of the content security policy would be."""
    errors: list[str] = []
    page.on("console", lambda it: errors.append(it.text) if it.type == "error" else None)
    log_in(page.context, fan, site)
    page.goto(address(queue))
    page.get_by_role("button", name="Join the line").tap()
    expect(connection_status(page)).to_have_text("Live")
    leave(queue, *OTHERS)
    make_room(queue)

    tick_until(page, headed(page, "It is your turn"))
    assert errors == []


ESTIMATE = """async (steps) => {
    const { EstimatedRank } = await import("/static/js/queue/estimated_rank.js");
    const number = new EstimatedRank();
    return steps.map(([now, ahead, rate]) => {
        if (ahead !== null) number.report(ahead, { rate, horizon: 6000, now });
        return number.at(now);
    });
}"""


def test_the_number_between_two_messages_is_honest(page, queue):
    page.goto(address(queue))

    for steps, shown in [
        ([(0, 100, 10), (1000, None, 0), (2000, None, 0)], [100, 91, 82]),
        ([(0, 100, 10), (60_000, None, 0)], [100, 46]),  # not beyond the next message
        ([(0, 100, 10), (1000, 99, 10), (2000, 80, 10)], [100, 99, 80]),
        ([(0, 100, 10), (1000, None, 0), (1100, 98, 0)], [100, 91, 91]),  # never upwards …
        ([(0, 100, 10), (1000, None, 0), (1100, 98, 0), (12_000, 98, 0)], [100, 91, 91, 98]),
        ([(0, 2, 10), (5000, None, 0), (5100, 0, 10)], [2, 1, 0]),  # only the server says “next”
        ([(0, 50, 0), (5000, None, 0)], [50, 50]),
    ]:
        assert page.evaluate(ESTIMATE, steps) == shown, steps


RANGE_LABELS = """async (ranges) => {
    const { etaRangeLabel } = await import("/static/js/queue/labels.js");
    return ranges.map(([low, high, paused]) =>
        etaRangeLabel({ paused, eta_low_seconds: low, eta_high_seconds: high }));
}"""


@pytest.mark.parametrize(("locale", "column"), [("en-GB", 2), ("ko-KR", 3)])
def test_the_script_and_the_server_give_the_same_range(open_queue_page, queue, locale, column):
    page = open_queue_page(queue, locale=locale)

    shown = page.evaluate(RANGE_LABELS, [[low, high, False] for low, high, *_ in RANGES])

    assert shown == [labels[column] for labels in RANGES]
    assert page.evaluate(RANGE_LABELS, [[450, 611, True]]) == [""]


@pytest.mark.parametrize("width", [320, 390, 1440])
def test_the_code_of_a_party_stands_on_one_line_and_its_link_is_copied(
    open_page, queue, fan, width
):
    join(queue, fan.pk)
    page = open_page(f"{address(queue)}party/", fan, viewport={"width": width, "height": 900})
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Get a code").click()
    code = page.locator(".party-code")
    expect(code).to_have_text(re.compile(r"^\w{5} \w{5}$"))

    code.evaluate("element => element.textContent = 'WWWWW MMMMM'")  # the widest
    lines = code.evaluate(
        "it => { const text = new Range(); text.selectNodeContents(it); "
        "return new Set([...text.getClientRects()].map(({ top }) => top)).size; }"
    )
    assert lines == 1
    assert page.evaluate(WIDTH) == width
    assert code.evaluate("it => it.scrollWidth <= it.clientWidth")
    page.get_by_role("button", name="Copy the link").click()

    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    link = page.get_by_label("Link for your companions").input_value()
    assert page.evaluate("navigator.clipboard.readText()") == link


# -- an event's own page ---------------------------------------------------------------------------


@pytest.fixture
def own_page(queue, now) -> SaleQueue:
    WaitingPage.objects.create(
        queue=queue,
        headline_ko="어서 오세요",
        headline_en="Welcome",
        accent_light="#6d28d9",
        accent_dark="#c4b5fd",
        background_light="#f7f3ff",
        background_dark="#120d1f",
    )
    services.publish_page(event_id=queue.pk, by=None, now=now)
    return queue


def test_an_events_own_page_is_as_good_as_the_others(open_queue_page, own_page):
    page = open_queue_page(own_page)

    colour = "getComputedStyle(document.documentElement).getPropertyValue('--brand')"
    assert page.evaluate(colour) == "#6d28d9"
    assert violations(page) == []
    assert page.evaluate(SMALL_CONTROLS) == []
    page.set_viewport_size({"width": 360, "height": 640})
    assert page.evaluate(WIDTH) == 360


def test_hints_change_by_themselves_and_stay_while_somebody_reads(open_queue_page, queue):
    page = open_queue_page(queue, prepare=lambda page: page.clock.install())
    current = page.locator("[data-hints-list] > li[data-current] h3")
    expect(current).to_have_text("The venue")

    page.clock.fast_forward(13_000)
    expect(current).to_have_text("Prices")

    page.get_by_role("button", name="Pause").click()
    page.mouse.move(0, 0)
    page.locator("h1").click()
    page.clock.fast_forward(60_000)
    expect(current).to_have_text("Prices")

    page.get_by_role("button", name="Next hint").click()
    expect(current).to_have_text("Rules of the sale")
    # For screen readers all of them are there, all the time.
    expect(page.locator("[data-hints]").get_by_role("heading", level=3)).to_have_count(4)


def test_with_reduced_motion_hints_are_a_list(open_queue_page, queue):
    page = open_queue_page(queue, reduced_motion="reduce")

    expect(page.get_by_role("button", name="Next hint")).to_be_hidden()
    for title in ("The venue", "Prices", "Rules of the sale", "Look at the seats"):
        hint = page.locator("[data-hints-list] > li", has_text=title)
        expect(hint).to_have_css("opacity", "1")
