"""The console's pages and controls, as plain forms."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from tests.making import seat_ids
from tests.ticketing.console.knobs import KNOBS
from tests.waiting_queue.lanes import add_lane
from ticketing.console import services
from ticketing.events.models import Event, EventChange, Seat
from waiting_queue import selectors as queue_selectors
from waiting_queue import services as queues
from waiting_queue.models import BlockAppeal, QueueChange, SaleQueue

pytestmark = pytest.mark.django_db


@pytest.fixture
def console(operator):
    client = Client(headers={"accept-language": "en"})
    client.force_login(operator)
    return client


def address(name, *args):
    return reverse(f"console:{name}", args=args)


def text(response):
    return response.content.decode()


def last_change():
    change = QueueChange.objects.order_by("-pk").first()
    return change.what, change.before, change.after, change.why, change.by


def test_the_page_shows_the_sale_without_javascript(console, sale, now):
    services.sample_sales(now=now)

    page = text(console.get(address("event", sale.pk)))

    assert 'data-figure="waiting">5<' in page
    assert "Close …" in page
    assert "The last minutes as a table" in page


def test_the_page_needs_few_sql_statements(console, sale, django_assert_max_num_queries):
    console.get(address("event", sale.pk))
    with django_assert_max_num_queries(25):
        assert console.get(address("event", sale.pk)).status_code == 200


def test_an_event_without_a_queue_says_so(console, event):
    assert "no queue" in text(console.get(address("event", event.pk)))
    assert console.get(address("event", 999_999)).status_code == 404


def test_the_overview_lists_running_sales(console, sale, now):
    services.sample_sales(now=now)

    page = text(console.get(address("overview")))
    answer = console.get(address("figures")).json()

    assert address("event", sale.pk) in page
    assert answer["sales"][str(sale.pk)]["waiting"] == 5
    assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in page


def test_event_and_queue_pages_link_to_the_console(console, sale):
    for name in ("ticketing_event", "queue_salequeue"):
        page = text(console.get(reverse(f"admin:{name}_change", args=[sale.pk])))

        assert address("event", sale.pk) in page


# -- states ----------------------------------------------------------------------------------------


def test_pausing_asks_why_and_resuming_takes_one_press(console, sale, operator):
    console.post(address("move", sale.pk, "paused"), {"reason": "", "preset": ""})
    assert SaleQueue.objects.get().state == "open"
    console.post(address("move", sale.pk, "paused"), {"preset": "technical", "reason": ""})
    assert last_change() == ("state", "open", "paused", "technical", operator)
    assert "technical problem" in text(console.get(address("event", sale.pk)))

    console.post(address("move", sale.pk, "open"), {"reason": ""})
    assert SaleQueue.objects.get().state == "open"


def test_closing_asks_for_confirmation_and_a_reason(console, sale, operator):
    form = text(console.get(address("move", sale.pk, "closed")))
    assert "0 in the lobby, 5 waiting, 0 called, 0 inside." in form
    assert "What follows" in form
    for incomplete in ({"reason": "", "then": "ends"}, {"reason": "fire alarm"}):
        console.post(address("move", sale.pk, "closed"), incomplete)
    assert SaleQueue.objects.get().state == "open"

    console.post(address("move", sale.pk, "closed"), {"reason": "fire alarm", "then": "ends"})

    assert last_change() == ("state", "open", "closed", "fire alarm", operator)
    assert SaleQueue.objects.get().event.state == "closed"


def test_a_sale_that_goes_on_without_a_line_says_so_and_its_line_can_be_opened(console, sale):
    console.post(address("move", sale.pk, "closed"), {"reason": "calm", "then": "open_sale"})
    page = text(console.get(address("event", sale.pk)))

    console.post(address("move", sale.pk, "open"), {"reason": ""})

    assert "on sale without a line" in page
    assert "Open the line again" in page
    assert (SaleQueue.objects.get().state, sale.event.state) == ("open", "on_sale")


def test_stopping_and_resuming_move_sale_and_line_together(console, sale):
    console.post(address("move", sale.pk, "stopped"), {"reason": "wrong price"})
    page = text(console.get(address("event", sale.pk)))
    stopped = SaleQueue.objects.get().event.state

    console.post(address("move", sale.pk, "open"), {"reason": ""})

    assert (stopped, SaleQueue.objects.get().event.state) == ("paused", "on_sale")
    assert 'class="state queue-stopped" data-state>sale paused<' in page
    assert ">Resume<" in page


def test_when_it_is_sold_out_the_console_says_so_with_the_seats_of_that_second(console, sale, now):
    services.sample_sales(now=now)
    sale.event.seats.update(state="sold")
    Event.objects.filter(pk=sale.pk).update(state="sold_out")

    figures = services.sample_sales(now=now + timedelta(seconds=1))[sale.pk]

    assert (figures["state"], figures["free"], figures["sold"]) == ("sold_out", 0, 12)


def test_an_impossible_move_is_refused_before_confirmation(console, sale):
    assert console.get(address("move", sale.pk, "lobby")).status_code == 409
    assert console.get(address("move", sale.pk, "nonsense")).status_code == 404


# -- knobs -----------------------------------------------------------------------------------------


def test_knobs_are_previewed_before_they_are_saved(console, sale, operator):
    page = text(console.post(address("knobs", sale.pk), KNOBS))
    assert "The 5 people in line would be in after about" in page
    assert SaleQueue.objects.get().admit_per_second == 10

    console.post(address("knobs", sale.pk), KNOBS | {"save": "1"})

    assert SaleQueue.objects.get().admit_per_second == 25
    assert last_change() == ("admit_per_second", "10.0", "25.0", "faster", operator)


def test_the_mode_is_shown_and_changed_like_a_knob(console, sale, operator):
    console.post(address("knobs", sale.pk), KNOBS | {"mode": "first_come", "save": "1"})

    assert SaleQueue.objects.get().mode == "first_come"
    assert last_change()[0] == "mode"
    assert "first come, first served" in text(console.get(address("event", sale.pk)))


def test_the_preview_follows_littles_law(console, sale):
    answer = console.get(
        address("preview", sale.pk), KNOBS | {"admit_per_second": 2, "max_inside": 1000}
    ).json()

    assert "at 2 a second and 300 s each, about 600 of 1,000 places" in answer["words"][1]


def test_the_preview_names_invalid_fields(console, sale):
    answer = console.get(address("preview", sale.pk), KNOBS | {"max_inside": "many"}).json()

    assert "max_inside" in answer["errors"]


# -- message, people, seats ------------------------------------------------------------------------


def test_a_notice_reaches_everyone_in_line(console, sale, operator):
    console.post(address("notice", sale.pk), {"message": "Soon.", "reason": ""})

    assert queue_selectors.current_notice(sale.pk) == "Soon."
    assert last_change() == ("notice", "", "Soon.", "", operator)


def in_line(sale, user, now):
    queues.join(event_id=sale.pk, person=str(user.pk), now=now)
    queues.drain_journals()
    return queues.standing(event_id=sale.pk, person=str(user.pk), now=now).number


@pytest.mark.parametrize("by", ["email", "number"])
def test_a_person_is_found_with_their_history(console, sale, fan, now, by):
    number = in_line(sale, fan, now)

    found = console.post(
        address("find", sale.pk), {"who": fan.email if by == "email" else number}, follow=True
    )

    assert found.redirect_chain[-1][0] == address("person", sale.pk, fan.pk)
    assert "got a number" in text(found)


def test_an_unknown_person_is_not_found(console, sale):
    assert console.post(address("find", sale.pk), {"who": "x@example.com"}).status_code == 404


def test_a_person_is_blocked_with_a_reason_and_their_appeal_is_lifted(
    console, sale, fan, operator, now
):
    in_line(sale, fan, now)
    console.post(address("person_action", sale.pk, fan.pk, "block"), {"reason": "three accounts"})
    assert queue_selectors.block_reason(event_id=sale.pk, person=str(fan.pk)) == "three accounts"
    queues.submit_appeal(event_id=sale.pk, person=str(fan.pk), message="My sister's.", now=now)
    assert "My sister&#x27;s." in text(console.get(address("event", sale.pk)))

    appeal = BlockAppeal.objects.get()
    console.post(address("appeal", sale.pk, appeal.pk, "lift"), {"answer": "Sorry."})

    assert queue_selectors.block_reason(event_id=sale.pk, person=str(fan.pk)) == ""
    assert last_change()[2:] == ("unblocked", "Sorry.", operator)


def test_a_get_request_answers_no_appeal(console, sale, fan, now):
    appeal = BlockAppeal.objects.create(queue=sale, person=fan, at=now, words="?")

    assert console.get(address("appeal", sale.pk, appeal.pk, "lift")).status_code == 405


def test_held_back_seats_are_counted_before_they_are_released(console, sale, event, operator):
    Seat.objects.filter(pk__in=seat_ids(event)[:3]).update(state="blocked")
    form = {"action": "release", "section": event.plan.sections.get().pk, "reason": "sponsor"}

    page = text(console.post(address("release", sale.pk), form))
    assert "put 3 seats on sale" in page
    assert Seat.objects.filter(state="blocked").count() == 3
    console.post(address("release", sale.pk), form | {"confirmed": "1"})

    assert not Seat.objects.filter(state="blocked").exists()
    change = EventChange.objects.order_by("-pk").first()
    assert (change.what, change.by, change.why) == ("seats 3", operator, "sponsor")


def test_one_seat_is_frozen_and_unfrozen(console, sale, event):
    form = {"seat": "a-1-2", "action": "freeze", "reason": "broken"}

    console.post(address("freeze", sale.pk), form)
    assert str(Seat.objects.get(state="blocked").place) == "A-1-2"
    console.post(address("freeze", sale.pk), form | {"action": "unfreeze"})

    assert not Seat.objects.filter(state="blocked").exists()


@pytest.mark.parametrize("seat", ["Z-1-2", "A-1-99", "A", "A-1-x", "-", "A-1-2-3"])
def test_an_unknown_seat_is_refused(console, sale, seat):
    page = text(
        console.post(address("freeze", sale.pk), {"seat": seat, "action": "freeze", "reason": "x"})
    )

    assert "no such seat" in page


def test_with_most_places_taken_the_preview_uses_the_measured_stay(sale):
    """80 of 100 places taken at 2 admissions a second: people stay 40 s."""
    overview = queue_selectors.Overview(
        known=True, waiting=100, inside=80, ready=15, cap=100, rate=2.0
    )

    with translation.override("en"):
        preview = services.preview_knobs(
            sale, {"admit_per_second": 2.0, "max_inside": 100}, overview
        )
    assert "at 2 a second and 40 s each, about 80 of 100 places" in preview.sentences[1]


def test_no_link_is_broken(console, sale, fan, now):
    in_line(sale, fan, now)
    pages = [address("event", sale.pk), address("person", sale.pk, fan.pk), address("overview")]

    links = {
        link
        for page in pages
        for link in re.findall(r'href="(/(?:admin|events)/[^"#]*)', text(console.get(page)))
    }

    answers = {link.replace("&amp;", "&"): 0 for link in links if "logout" not in link}
    for link in answers:
        answers[link] = console.get(link).status_code
    assert len(answers) > 20
    assert {link: code for link, code in answers.items() if code >= 400} == {}


def test_lanes_are_shown_with_their_shares(console, sale, now):
    assert "console-lanes" not in text(console.get(address("event", sale.pk)))
    add_lane(sale, now, weight=3)
    queues.tick_open_queues(now=now)

    page = text(console.get(address("event", sale.pk)))

    assert "Fan-club presale" in page
    assert '<td data-share="wanted">75 %</td>' in page
    assert '<td data-people="waiting">5</td>' in page
