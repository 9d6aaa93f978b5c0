"""An operator's first event: from an empty database to an open sale, by what the pages say."""

from datetime import timedelta

from django.utils.timezone import localtime
from playwright.sync_api import Page, expect

from tests.browser.quality import WIDTH, violations
from tests.making import make_event, make_plan
from ticketing.core import clock
from ticketing.events.models import Event, Place
from waiting_queue.models import Lane, SaleQueue, WaitingPage, WaitingPageLink

SMALL_DESKTOP = {"width": 1440, "height": 900}


def fill_time(page: Page, label: str, moment) -> None:
    page.get_by_label(f"{label}: date").fill(f"{localtime(moment):%Y-%m-%d}")
    page.get_by_label(f"{label}: time").fill(f"{localtime(moment):%H:%M:%S}")


def fill_names(page: Page, korean: str, english: str) -> None:
    page.get_by_label("Name in Korean").fill(korean)
    page.get_by_label("Name in English").fill(english)
    page.get_by_role("button", name="Save", exact=True).click()


def fill_plan(page: Page) -> None:
    page.get_by_label("Name of the plan").fill("Main")
    section = page.get_by_role("group", name="Section 1")
    for label, value in {"Code": "A", "Grade": "R", "Rows": "3", "Seats per row": "4"}.items():
        section.get_by_label(label, exact=True).fill(value)
    expect(page.locator("[data-preview] img")).to_be_visible()
    expect(page.locator("[data-preview]")).to_contain_text("12 seats")


def fill_event(page: Page, now) -> None:
    page.get_by_label("Title in Korean").fill("첫 공연")
    page.get_by_label("Title in English").fill("First night")
    fill_time(page, "On sale from", now + timedelta(days=1))
    fill_time(page, "Doors open", now + timedelta(days=30))
    fill_time(page, "Starts", now + timedelta(days=30, hours=1))
    page.get_by_label("Price", exact=True).first.fill("50000")
    page.get_by_role("button", name="Save", exact=True).click()


def test_the_first_event_from_an_empty_database_to_an_open_sale(operator_page):
    page, found = operator_page, {}
    page.set_viewport_size(SMALL_DESKTOP)
    missing = page.locator("#content-main > [role=status]")

    def follow(link: str) -> None:
        page.get_by_role("link", name=link, exact=True).click()
        found[page.url] = violations(page)

    page.goto("/admin/")
    follow("Set up an event")
    follow("Add an organiser")
    fill_names(page, "달빛기획", "Moonlight")
    follow("Add a venue")
    fill_names(page, "한강홀", "Hangang Hall")
    follow("Generate a plan")
    assert page.evaluate(WIDTH) == SMALL_DESKTOP["width"]
    fill_plan(page)
    found["preview"] = violations(page)
    page.get_by_role("button", name="Save", exact=True).click()
    follow("Add an event")
    fill_event(page, clock.now())

    expect(missing).to_have_text("Missing: Seats, Line, Announce")
    page.get_by_role("button", name="Create seats from the plan").click()
    expect(missing).to_have_text("Missing: Line, Announce")
    follow("Set up the line")
    page.get_by_role("button", name="Save", exact=True).click()
    follow("Rehearse")
    follow("← Back to the checklist")
    follow("Announce the event")
    page.get_by_role("button", name="Confirm").click()
    expect(missing).to_have_text("Nothing is missing.")

    page.get_by_role("link", name="To the console").click()
    page.get_by_role("link", name="Open the sale …").click()
    page.get_by_role("button", name="Confirm").click()
    expect(page.locator("[data-state]").first).to_have_text("open")
    assert (Event.objects.get().state, SaleQueue.objects.get().state) == ("on_sale", "open")
    assert {url: faults for url, faults in found.items() if faults} == {}


def test_axe_finds_nothing_in_the_forms_of_an_event(operator_page, site):
    event = make_event(clock.now())
    queue = SaleQueue.objects.create(event=event, opens_at=clock.now() + timedelta(days=1))
    lane = Lane.objects.create(queue=queue, number=1, name_ko="선예매", name_en="Presale")
    page = WaitingPage.objects.create(queue=queue)
    WaitingPageLink.objects.create(
        page=page, label_ko="안내", label_en="Info", url="https://a.test/"
    )
    found = {}
    for path in (
        f"ticketing/event/{event.pk}/change/",
        f"queue/salequeue/{event.pk}/change/",
        f"queue/lane/add/?queue={event.pk}",
        f"queue/lane/{lane.pk}/change/",
        f"setup/{event.pk}/duplicate/",
        "ticketing/event/add/",
        "ticketing/seat/",
        "ticketing/seatplan/import/",
        f"ticketing/seatplan/{event.plan_id}/change/",
        "accounts/legaldocument/add/",
        "queue/waitingpage/add/",
        f"queue/waitingpage/{event.pk}/change/",
        "rehearsal/rehearsal/",
    ):
        operator_page.goto(f"/admin/{path}")
        found[path] = violations(operator_page)

    assert {path: faults for path, faults in found.items() if faults} == {}


def test_a_plan_is_edited_with_the_keyboard_and_the_mouse(operator_page, site):
    plan = make_plan()
    start = list(Place.objects.order_by("pk").values_list("x", flat=True))
    page = operator_page
    page.goto(f"/admin/ticketing/seatplan/{plan.pk}/edit/")
    expect(page.locator("[data-key]")).to_have_count(12)

    page.locator("[data-code=A]").focus()
    for key in ("ArrowRight", "]", "Control+z"):  # the turn is undone
        page.keyboard.press(key)
    page.get_by_label("Row", exact=True).select_option("1")
    page.get_by_role("button", name="Select", exact=True).click()
    expect(page.locator("[data-status]")).to_have_text("Selected seats: 4")
    page.get_by_label("Grade").fill("VIP")
    page.get_by_role("button", name="Set the grade").click()
    page.locator("[data-key='A|3|4']").click()
    page.get_by_role("button", name="Wheelchair space").click()
    page.get_by_label("First number").fill("11")
    page.get_by_role("button", name="Number the block").click()
    assert violations(page) == []
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".messagelist")).to_contain_text("The plan was stored.")

    places = list(Place.objects.filter(section__plan=plan).order_by("pk"))
    assert [place.x for place in places] == [x + 10 for x in start]
    assert [place.number for place in places] == [11, 12, 13, 14] * 3
    assert {place.grade for place in places if place.row == "1"} == {"VIP"}
    assert [str(place) for place in places if place.accessible] == ["A-3-14"]
