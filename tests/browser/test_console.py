"""An operator's evening in a real browser: watch, pause, speed up, tell, find, block, answer."""

from datetime import timedelta

import pytest
from django.utils.timezone import localdate
from playwright.sync_api import Page, expect

from reservations.models import Reservation
from tests.browser.conftest import PHONE, skip_time_until
from tests.browser.quality import violations
from tests.making import make_event, make_user, seat_ids
from tests.payments.buyers import Buyer
from tests.waiting import wait_until
from ticketing.console import keys
from ticketing.console.models import Reconciliation
from ticketing.console.services import sample_sales
from ticketing.core import clock, redis
from ticketing.events.models import Event
from ticketing.events.services import block_seats
from waiting_queue import services
from waiting_queue.models import SaleQueue


@pytest.fixture
def sale(site, operator) -> SaleQueue:
    """Forty people wait, at a pace that calls nobody while we look."""
    now = clock.now()
    queue = SaleQueue.objects.create(
        event=make_event(now), opens_at=now, admit_per_second=0.001, max_inside=100
    )
    services.move_queue(event_id=queue.pk, to="open", by=operator, now=now)
    services.tick_open_queues(now=now)
    for person in range(900_000, 900_041):
        services.join(event_id=queue.pk, person=str(person), now=now)
    return queue


def figure(page: Page, name: str):
    return page.locator(f"[data-figure={name}]").first


def listening() -> bool:
    return redis.client().pubsub_numsub(keys.sample_channel(redis.database()))[0][1] >= 1


def test_numbers_and_charts_move_without_a_reload(operator_page, sale):
    now = clock.now()
    sample_sales(now=now - timedelta(seconds=2))
    operator_page.goto(f"/admin/console/{sale.pk}/")
    operator_page.evaluate("window.stayed = true")
    expect(operator_page.locator("[data-connection]")).to_have_text("Live")
    wait_until(listening)
    expect(operator_page.locator("[data-chart=people] canvas")).to_be_visible()

    before = int(figure(operator_page, "waiting").inner_text())
    for person in range(910_000, 910_007):
        services.join(event_id=sale.pk, person=str(person), now=now)
    sample_sales(now=clock.now())

    expect(figure(operator_page, "waiting")).to_have_text(str(before + 7))
    assert operator_page.evaluate("window.stayed")


def test_a_sale_that_somebody_else_opens_has_other_buttons_at_once(operator_page, sale, operator):
    coming = SaleQueue.objects.create(event=make_event(clock.now()), opens_at=clock.now())
    operator_page.goto(f"/admin/console/{coming.pk}/")
    operator_page.evaluate("window.stayed = true")
    expect(operator_page.get_by_role("link", name="Open the sale")).to_be_visible()
    wait_until(listening)

    services.move_queue(event_id=coming.pk, to="open", by=operator, now=clock.now())
    sample_sales(now=clock.now() + timedelta(seconds=1))

    expect(operator_page.get_by_role("link", name="Pause the line")).to_be_visible()
    expect(operator_page.get_by_role("link", name="Open the sale")).to_have_count(0)
    operator_page.locator("#console-changes > summary").click()
    expect(operator_page.locator("[data-fresh=changes]")).to_contain_text("open")
    assert operator_page.evaluate("window.stayed")


def test_the_overview_moves_without_a_reload_and_shows_a_new_sale(operator_page, sale, operator):
    sample_sales(now=clock.now() - timedelta(seconds=2))
    operator_page.goto("/admin/console/")
    operator_page.evaluate("window.stayed = true")
    expect(operator_page.locator("[data-connection]")).to_have_text("Live")
    wait_until(listening)

    services.join(event_id=sale.pk, person="930000", now=clock.now())
    sample_sales(now=clock.now())
    expect(figure(operator_page, "waiting")).to_have_text("42")
    assert operator_page.evaluate("window.stayed")

    second = SaleQueue.objects.create(event=make_event(clock.now()), opens_at=clock.now())
    services.move_queue(event_id=second.pk, to="open", by=operator, now=clock.now())
    sample_sales(now=clock.now() + timedelta(seconds=1))
    expect(operator_page.locator("[data-sale]")).to_have_count(2)
    expect(operator_page.locator("[data-connection]")).to_have_text("Live")


def test_without_a_socket_it_asks_every_few_seconds(operator_page, sale):
    operator_page.clock.install()
    operator_page.route_web_socket(lambda url: "/ws/console/" in url, lambda line: line.close())
    sample_sales(now=clock.now())
    status, waiting = operator_page.locator("[data-connection]"), figure(operator_page, "waiting")
    asked: list[str] = []
    operator_page.on("request", lambda request: asked.append(request.url))
    operator_page.goto(f"/admin/console/{sale.pk}/")
    skip_time_until(operator_page, lambda: any("/samples/" in url for url in asked))

    services.join(event_id=sale.pk, person="920000", now=clock.now())
    more = str(int(waiting.inner_text()) + 1)
    sample_sales(now=clock.now() + timedelta(minutes=1))  # the page's clock is ahead by now

    skip_time_until(operator_page, lambda: waiting.inner_text() == more)
    expect(status).to_have_text("Every few seconds")


def test_an_operators_evening(operator_page, sale):
    fan = make_user(password=None, email="fan@example.com")
    services.join(event_id=sale.pk, person=str(fan.pk), now=clock.now())
    home = f"/admin/console/{sale.pk}/"
    operator_page.goto(home)

    operator_page.keyboard.press("p")
    dialog = operator_page.get_by_role("dialog")
    dialog.get_by_label("Reason").select_option("overload")
    dialog.get_by_role("button", name="Confirm").click()
    expect(operator_page.locator("[data-state]").first).to_have_text("paused")
    operator_page.get_by_role("button", name="Resume").click()
    expect(operator_page.locator("[data-state]").first).to_have_text("open")

    operator_page.keyboard.press("k")
    operator_page.get_by_label("Admissions per second").fill("4")
    expect(operator_page.locator("[data-preview-words]")).to_contain_text("would be in after about")
    operator_page.get_by_role("button", name="Preview, then save").click()
    operator_page.get_by_role("button", name="Save settings").click()
    expect(operator_page.locator(".messagelist")).to_contain_text("within a second")
    assert SaleQueue.objects.get().admit_per_second == 4

    operator_page.locator("#console-notice > summary").click()
    operator_page.get_by_label("Message", exact=True).fill("The line is moving again.")
    operator_page.get_by_role("button", name="Tell everyone in line").click()
    expect(operator_page.locator(".messagelist")).to_contain_text("within seconds")

    operator_page.locator("#console-find > summary").click()
    operator_page.get_by_label("E-mail, or number in line").fill("fan@example.com")
    operator_page.get_by_role("button", name="Find").click()
    operator_page.get_by_role("link", name="Block …").click()
    operator_page.get_by_label("Why").fill("three accounts")
    operator_page.get_by_role("button", name="Confirm").click()
    expect(operator_page.locator(".queue-warning")).to_contain_text("three accounts")

    services.submit_appeal(
        event_id=sale.pk, person=str(fan.pk), message="My sister's.", now=clock.now()
    )
    operator_page.goto(home)
    operator_page.get_by_role("button", name="Grant the appeal").click()
    expect(operator_page.locator(".messagelist")).to_contain_text("granted")

    operator_page.get_by_role("link", name="Close …", exact=True).click()
    expect(operator_page.locator(".console-affected")).to_contain_text("waiting")
    operator_page.get_by_label("The sale is closed: nobody can buy.").check()
    operator_page.get_by_label("Why").fill("the evening is over")
    operator_page.get_by_role("button", name="Confirm").click()
    expect(operator_page.locator("[data-state]").first).to_have_text("sale closed")

    operator_page.get_by_role("link", name="Report").click()
    expect(operator_page.locator(".console-tiles")).to_contain_text("Got a number")
    with operator_page.expect_download() as paper:
        operator_page.get_by_role("link", name="As PDF").click()
    assert paper.value.suggested_filename == f"report-{sale.pk}.pdf"


def test_axe_finds_nothing_and_nothing_scrolls_sideways(operator_page, sale):
    sample_sales(now=clock.now())
    pages = ("", "move/closed/", "move/paused/", "seats/", "report/", "autopilot/", "audit/")
    others = ("approvals/", "reconciliations/")
    sideways = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    laptop = operator_page.viewport_size
    for path in ("", *others, *(f"{sale.pk}/{page}" for page in pages)):
        operator_page.goto(f"/admin/console/{path}")
        if operator_page.locator("[data-connection]").count():
            expect(operator_page.locator("[data-connection]")).to_have_text("Live")
        for size in (laptop, PHONE):
            operator_page.set_viewport_size(size)
            assert operator_page.evaluate(sideways) <= 0, (path, size)
            assert violations(operator_page) == [], (path, size)
        operator_page.set_viewport_size(laptop)


def test_a_difference_and_what_mends_it_are_in_sight(operator_page, sale, fan):
    now = clock.now()
    Event.objects.filter(pk=sale.pk).update(title_en="LUNA World Tour: Seoul Nights, second show")
    order = Reservation.objects.create(
        event=sale.event,
        fan=fan,
        created_at=now,
        deadline=now + timedelta(minutes=5),
        total=1,
        currency="KRW",
    )
    differences = [[order.code, "not_paid", {}]]
    Reconciliation.objects.create(day=localdate(now), at=now, differences=differences)
    operator_page.set_viewport_size({"width": 1440, "height": 900})

    operator_page.goto(f"/admin/console/reconciliations/{localdate(now)}/")

    expect(operator_page.locator(".console-scroll")).to_contain_text("Look at the order")
    hidden = operator_page.locator(".console-scroll").evaluate(
        "it => it.scrollWidth - it.clientWidth"
    )
    assert hidden == 0


def test_what_is_watched_fits_on_one_screen_and_panels_open_over_it(operator_page, sale):
    sample_sales(now=clock.now())
    operator_page.set_viewport_size({"width": 1440, "height": 900})
    operator_page.goto(f"/admin/console/{sale.pk}/")
    expect(operator_page.locator("[data-connection]")).to_have_text("Live")

    for place in (".console-buttons", ".console-tiles", "#console-seats", "#console-health"):
        box = operator_page.locator(place).locator("visible=true").first.bounding_box()
        assert box is None or box["y"] + box["height"] <= 900, (place, box)
    for panel in operator_page.locator(".console-panels > details").all():
        panel.locator("summary").click()
        expect(panel.locator(".console-panel")).to_be_visible()
        assert violations(operator_page) == []


def test_shortcuts_do_nothing_while_typing_or_when_switched_off(operator_page, sale):
    operator_page.goto(f"/admin/console/{sale.pk}/")
    dialog = operator_page.locator("dialog")
    operator_page.keyboard.press("f")
    operator_page.keyboard.type("pp")
    expect(operator_page.locator("#find-who")).to_have_value("pp")
    expect(dialog).not_to_be_visible()
    operator_page.keyboard.press("Escape")
    operator_page.keyboard.press("?")
    operator_page.locator("[data-shortcuts-on]").uncheck()
    operator_page.keyboard.press("Escape")
    operator_page.keyboard.press("p")

    expect(dialog).not_to_be_visible()
    assert SaleQueue.objects.get().state == "open"


def is_inside(event, fan) -> bool:
    """The clock goes round, and who is called comes in."""
    services.tick_open_queues(now=clock.now())
    who = {"event_id": event.pk, "person": str(fan.pk), "now": clock.now()}
    if services.standing(**who).state == "ready":
        services.claim(**who)
    return services.standing(**who).state == "admitted"


def test_an_evening_from_the_lobby_to_a_refund(operator_page, site, operator, settings):
    """What the other evening leaves out: lobby, opening, held-back seats, money."""
    settings.PORTONE_URL = f"{site}/sandbox/portone"
    settings.PAYMENTS_SANDBOX_WEBHOOK = "http://127.0.0.1:9/"
    event = make_event(clock.now())
    opens = clock.now() + timedelta(minutes=30)
    times = {"opens_at": opens, "lobby_opens_at": clock.now()}
    SaleQueue.objects.create(event=event, admit_per_second=0, **times)
    block_seats(
        event_id=event.pk, seat_ids=seat_ids(event)[:4], by=operator, reason="press", now=opens
    )
    for verb, state in (("Open the lobby", "lobby open"), ("Open the sale", "open")):
        operator_page.goto(f"/admin/console/{event.pk}/")
        operator_page.get_by_role("link", name=f"{verb} …").click()
        operator_page.get_by_role("button", name="Confirm").click()
        expect(operator_page.locator("[data-state]").first).to_have_text(state)

    operator_page.get_by_role("link", name="Release blocks, freeze seats").click()
    release = operator_page.locator("form[action$='release/']")
    release.get_by_label("Section").select_option(index=1)
    release.locator("[name=reason]").fill("nobody came")
    release.get_by_role("button", name="Count them first").click()
    expect(operator_page.locator("#content h1")).to_contain_text("put 4 seats on sale")
    operator_page.get_by_role("button", name="Confirm").click()
    expect(operator_page.locator(".messagelist")).to_contain_text("4 seats are on sale now")
    assert event.seats.filter(state="blocked").count() == 0

    fan = make_user(password=None)
    services.join(event_id=event.pk, person=str(fan.pk), now=clock.now())
    wait_until(lambda: is_inside(event, fan))
    buyer = Buyer(event, fan, clock.now())
    buyer.buy()
    operator_page.goto(f"/admin/payments/payment/{buyer.payment.pk}/change/")
    operator_page.get_by_role("link", name="Refund", exact=True).click()
    operator_page.locator("[name=reason]").fill("was ill")
    operator_page.get_by_role("button", name="Refund", exact=True).click()
    expect(operator_page.locator(".messagelist")).to_contain_text("on its way")
    wait_until(lambda: buyer.payment.state == "refunded")
    assert buyer.reservation.state == "refunded"
