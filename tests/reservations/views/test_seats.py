"""The pages where seats are chosen and held, without a script."""

import re
from datetime import timedelta

import pytest
from django.test import Client

from reservations import services
from reservations.models import Reservation
from reservations.views.labels import grade_abbreviations
from tests.making import make_event, make_plan, seat_ids
from tests.reservations.acting import hold, places
from tests.waiting_queue.api.conftest import logged_in
from ticketing.core import clock, redis
from ticketing.events.models import Event, Place, Seat
from waiting_queue import services as queue
from waiting_queue.models import SaleQueue

pytestmark = pytest.mark.django_db(transaction=True)
BROWSER = {"accept": "text/html", "accept-language": "en"}
FORMS = ["seats", "best", "places", "leave", "XXXX/give-back"]


@pytest.fixture
def event(now, transactional_db):
    return make_event(now, plan=make_plan(standing=6))


@pytest.fixture
def me(fan):
    client = Client(headers=BROWSER)
    client.cookies["sessionid"] = logged_in(fan)
    return client


@pytest.fixture
def line(event, now):
    SaleQueue.objects.create(event=event, opens_at=now, admit_per_second=0)
    return queue.move_queue(event_id=event.pk, to="open", by=None, now=now)


def at(event, rest="seats/"):
    return f"/events/{event.pk}/{rest}"


def text(response):
    return re.sub(r"\s+", " ", response.content.decode())


def said(client, response):
    """Where a form leads to, and what is said there."""
    assert response.status_code == 303
    page = text(client.get(response.headers["Location"]))
    return re.findall(r'<li class="note[^>]*>(.*?)</li>', page)


def basket(event, fan):
    own = Reservation.objects.filter(event=event, fan=fan, state="held")
    return sorted(own.values_list("seats__seat_id", flat=True))


# -- who may choose --------------------------------------------------------------------------------


def test_a_stranger_may_look_and_is_led_to_the_log_in_and_back(client, event):
    page = text(client.get(at(event), headers=BROWSER))

    assert f'href="/accounts/log-in/?next={at(event)}"' in page.replace("%2F", "/")
    assert "Pick the best for me" not in page


def test_without_a_queue_whoever_is_logged_in_may_choose(me, event):
    page = text(me.get(at(event)))

    assert "Pick the best for me" in page
    assert "Hold standing tickets" in page
    assert "Go to the line" not in page


def test_a_choice_of_standing_tickets_says_in_which_order_one_comes_in(me, event):
    Event.objects.update(entry_numbers="sale")

    assert "Standing: entry by number, in the order of booking." in text(me.get(at(event)))


def test_who_is_not_inside_may_look_and_is_led_to_the_line(me, client, event, line):
    for one in (me, client):
        page = text(one.get(at(event), headers=BROWSER))
        assert f'href="/events/{event.pk}/queue/">Go to the line' in page
        assert "Pick the best for me" not in page


def test_who_is_inside_may_choose_and_is_told_of_the_pass(me, event, line, fan, now):
    queue.join(event_id=event.pk, person=str(fan.pk), now=clock.now())

    page = text(me.get(at(event)))

    assert "It is your turn." in page
    assert 'id="pass" data-standing="/api/v1/' in page
    assert "Pick the best for me" in page


def test_a_letter_on_the_map_is_explained_unless_the_name_has_it(me, event):
    chips = r'<button class="chip".*?</svg>(.*?)<span class="chip__left">'
    event.grades.filter(code="S").update(name_en="Balcony")

    shown = re.findall(chips, text(me.get(at(event))))

    assert [re.sub(r"<.*?>", "", chip).strip() for chip in shown] == [
        "F seat",
        "R seat",
        "S Balcony",
    ]


def test_looking_renews_the_pass(me, event, line, fan):
    earlier = clock.now() - timedelta(seconds=200)
    queue.join(event_id=event.pk, person=str(fan.pk), now=earlier)
    me.get(at(event))

    found = queue.standing(event_id=event.pk, person=str(fan.pk), now=earlier)

    assert found.deadline_ms > (earlier.timestamp() + 400) * 1000


@pytest.mark.parametrize(
    ("state", "words"),
    [("scheduled", "has not opened yet"), ("closed", "Pick the best for me")],
)
def test_before_the_line_nobody_chooses_and_after_it_everybody(me, event, now, state, words):
    SaleQueue.objects.create(event=event, opens_at=now + timedelta(hours=1), state=state)

    assert words in text(me.get(at(event)))


def test_a_line_that_is_being_restored_says_so(me, event, line):
    for name in redis.client().keys("queue:*"):
        redis.client().delete(name)

    assert "is being restored" in text(me.get(at(event)))


@pytest.mark.parametrize("state", ["announced", "paused", "sold_out", "closed", "cancelled"])
def test_what_is_not_on_sale_is_only_shown(me, event, state):
    Event.objects.update(state=state)

    page = text(me.get(at(event)))

    assert "View only: seats can’t be bought at the moment." in page
    assert "Pick the best for me" not in page


def test_the_list_has_boxes_only_for_free_seats_and_only_for_who_may_choose(me, client, event):
    ids = seat_ids(event)
    Seat.objects.filter(pk=ids[0]).update(state="sold")

    mine, theirs = (text(one.get(at(event, "seats/A/"), headers=BROWSER)) for one in (me, client))

    boxes = re.findall(r'name="seat" value="(\d+)"', mine)
    assert sorted(map(int, boxes)) == ids[1:12]
    assert 'name="seat"' not in theirs


# -- holding by forms ------------------------------------------------------------------------------


def test_ticked_seats_are_held(me, event, fan):
    one, two, *_ = seat_ids(event)

    answer = me.post(at(event, "basket/seats/"), {"seat": [one, two], "section": "A", "key": "k"})

    assert (answer.status_code, answer.headers["Location"]) == (303, at(event, "basket/"))
    assert basket(event, fan) == [one, two]


def test_the_best_are_held_and_pressing_twice_is_once(me, event, fan):
    for _ in range(2):
        me.post(at(event, "basket/best/"), {"grade": "R", "quantity": "2", "key": "once"})

    assert len(basket(event, fan)) == 2


def test_the_same_page_holds_again_after_giving_back(me, event, fan, now):
    wish = {"grade": "R", "quantity": "2", "key": "once"}
    me.post(at(event, "basket/best/"), wish)
    code = Reservation.objects.get().code
    services.release(event_id=event.pk, code=code, fan_id=fan.pk, now=now)

    me.post(at(event, "basket/best/"), wish)

    assert len(basket(event, fan)) == 2


def test_wheelchair_places_are_found_by_their_box(me, event, fan):
    place = Place.objects.filter(section__plan=event.plan, row="2", number=1)
    place.update(accessible=True)

    me.post(at(event, "basket/best/"), {"grade": "R", "quantity": "1", "accessible": "1"})

    assert basket(event, fan) == [Seat.objects.get(event=event, place=place.get()).pk]


def test_places_to_stand_are_held_by_their_number(me, event, fan):
    me.post(at(event, "basket/places/"), {"section": "F", "grade": "F", "quantity": "3"})

    assert len(basket(event, fan)) == 3
    page = text(me.get(at(event, "basket/")))
    assert page.count("Floor") == 3
    assert "standing" not in page


def test_a_conflict_names_the_seat_and_keeps_the_others_ticked(me, event, fan, rival, now):
    one, two, three, *_ = seat_ids(event)
    hold(event, rival, now, two)

    answer = me.post(at(event, "basket/seats/"), {"seat": [one, two, three], "section": "A"})

    assert answer.headers["Location"] == at(event, f"seats/A/?keep={one},{three}")
    page = text(me.get(answer.headers["Location"]))
    assert "Someone else was faster. Section A, row 1, seat 2 (held by someone else; may be" in page
    assert re.findall(r'value="(\d+)" checked', page) == [str(one), str(three)]
    assert basket(event, fan) == []


@pytest.mark.parametrize(
    ("form", "wish", "words"),
    [
        ("best", {"grade": "S", "quantity": "4"}, "There are not 4 seats available together."),
        ("places", {"section": "F", "quantity": "4"}, "There are not 4 places available there."),
        ("seats", {"section": "A"}, "Choose at least one seat."),
        ("seats", {}, "Choose at least one seat."),
    ],
)
def test_every_refusal_has_its_words_on_the_page(me, event, fan, rival, now, form, wish, words):
    places(event, rival, now, 3)
    Seat.objects.filter(event=event, grade__code="S").first().delete()

    [told] = said(me, me.post(at(event, f"basket/{form}/"), wish))

    assert words in told
    assert basket(event, fan) == []


def test_who_asks_for_too_many_is_told_how_many_are_left(me, event, fan, now):
    hold(event, fan, now, *seat_ids(event)[:3])

    [told] = said(me, me.post(at(event, "basket/best/"), {"grade": "R", "quantity": "2"}))

    assert "The limit is 4 seats per person for this event; you can add 1 more." in told


def test_a_huge_number_is_no_event(me):
    for form in ("best", "leave", "X/give-back"):
        wish = {"grade": "R", "quantity": "1"}
        assert me.post(f"/events/{10**30}/basket/{form}/", wish).status_code == 404


def test_a_single_seat_left_over_is_named(me, event, fan):
    Event.objects.update(no_orphans=True)
    _, two, *_ = seat_ids(event)

    [told] = said(me, me.post(at(event, "basket/seats/"), {"seat": [two], "section": "A"}))

    assert "would leave a single empty seat. Section A, row 1, seat 1." in told


def test_who_is_not_inside_holds_nothing_and_sees_why(me, event, line, fan):
    answer = me.post(at(event, "basket/best/"), {"grade": "R", "quantity": "1"})

    assert answer.status_code == 303
    assert "Go to the line" in text(me.get(answer.headers["Location"]))
    assert basket(event, fan) == []


@pytest.mark.parametrize(
    ("form", "wish"),
    [
        ("best", {"grade": "R"}),
        ("best", {"grade": "R", "quantity": "x"}),
        ("best", {"grade": "R", "quantity": "-1"}),
        ("places", {"quantity": "1"}),
        ("best", {"grade": "\0", "quantity": "1"}),
    ],
)
def test_what_can_not_be_understood_is_refused(me, event, form, wish):
    assert me.post(at(event, f"basket/{form}/"), wish).status_code == 400


def test_a_section_that_can_not_be_is_refused(me, event):
    wish = {"seat": seat_ids(event)[:1], "section": "a/b"}

    assert me.post(at(event, "basket/seats/"), wish).status_code == 400


@pytest.mark.parametrize("seat", ["x", "-1", "١", "9" * 40])
def test_strange_seats_are_no_seats(me, event, fan, seat):
    answer = me.post(at(event, "basket/seats/"), {"seat": [seat], "section": "A"})

    assert answer.status_code in (303, 400)
    assert basket(event, fan) == []


@pytest.mark.parametrize("form", FORMS)
def test_who_is_not_logged_in_is_asked_to(client, event, form):
    answer = client.post(
        at(event, f"basket/{form}/"),
        {"grade": "R", "quantity": "1", "section": "F", "seat": seat_ids(event)[0]},
        headers=BROWSER,
    )

    assert answer.status_code == 401


@pytest.mark.parametrize("form", FORMS)
def test_another_sites_form_does_nothing(fan, event, form):
    strict = Client(enforce_csrf_checks=True, headers=BROWSER)
    strict.cookies["sessionid"] = logged_in(fan)

    assert strict.post(at(event, f"basket/{form}/"), {}).status_code == 403


@pytest.mark.parametrize("form", FORMS)
def test_who_comes_to_a_form_by_a_link_is_shown_where_one_chooses(me, event, form):
    answer = me.get(at(event, f"basket/{form}/"))

    assert (answer.status_code, answer.headers["Location"]) == (303, at(event))


# -- the basket ------------------------------------------------------------------------------------


def test_the_basket_says_what_is_held_until_when_and_what_comes_next(me, event, fan):
    held = hold(event, fan, clock.now(), *seat_ids(event)[:2]).reservation

    page = text(me.get(at(event, "basket/")))

    assert "Section A, row 1, seat 2" in page
    assert "₩264,000" in page
    assert held.code in page
    assert 'role="timer"' in page
    assert f'href="/orders/{held.code}/pay/">Pay ₩264,000</a>' in page
    assert re.search(r'<noscript><meta http-equiv="refresh" content="30[0-2]">', page)


def test_what_ran_out_is_not_in_the_basket(me, event, fan):
    hold(event, fan, clock.now() - timedelta(seconds=400), seat_ids(event)[0])

    assert "Your basket is empty" in text(me.get(at(event, "basket/")))
    assert "You hold" not in text(me.get(at(event)))


def test_seats_are_given_back_by_a_button_and_nobody_elses(me, event, fan, rival, now):
    mine = hold(event, fan, now, seat_ids(event)[0]).reservation
    theirs = hold(event, rival, now, seat_ids(event)[1]).reservation

    told = said(me, me.post(at(event, f"basket/{mine.code}/give-back/")))
    other = me.post(at(event, f"basket/{theirs.code}/give-back/"))

    assert told == ["Your seats have been released. Others can choose them now."]
    assert other.status_code == 404
    assert (basket(event, fan), len(basket(event, rival))) == ([], 1)


def test_leaving_gives_back_everything_and_the_place(me, event, line, fan):
    queue.join(event_id=event.pk, person=str(fan.pk), now=clock.now())
    hold(event, fan, clock.now(), seat_ids(event)[0])
    assert "leave the sale" in text(me.get(at(event, "basket/")))

    answer = me.post(at(event, "basket/leave/"))

    assert answer.headers["Location"] == event.get_absolute_url()
    found = queue.standing(event_id=event.pk, person=str(fan.pk), now=clock.now())
    assert (found.state, basket(event, fan)) == ("left", [])


def test_the_page_leads_back_to_what_is_held(me, event, fan):
    hold(event, fan, clock.now(), seat_ids(event)[0])

    for path in ("seats/", "seats/A/"):
        page = text(me.get(at(event, path)))
        assert "You hold 1 seat." in page
        assert f'href="{at(event, "basket/")}"' in page


def test_who_has_all_seats_a_person_may_have_is_told(me, event, fan, now):
    hold(event, fan, now, *seat_ids(event)[:4])

    page = text(me.get(at(event)))

    assert "The limit is 4 seats per person for this event, and you have reached it." in page
    assert "Hold the best seats" not in page


# -- cost ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["seats/", "seats/A/", "basket/"])
def test_a_page_costs_few_statements_however_many_seats(
    me, event, line, fan, now, path, django_assert_max_num_queries
):
    queue.join(event_id=event.pk, person=str(fan.pk), now=clock.now())
    hold(event, fan, clock.now(), seat_ids(event)[0])
    with django_assert_max_num_queries(6) as few:
        me.get(at(event, path))

    big = make_event(now, plan=make_plan(rows=30, seats_per_row=30, standing=50))
    SaleQueue.objects.create(event=big, opens_at=now, admit_per_second=0)
    queue.move_queue(event_id=big.pk, to="open", by=None, now=now)
    queue.leave(event_id=event.pk, person=str(fan.pk), now=clock.now())
    queue.join(event_id=big.pk, person=str(fan.pk), now=clock.now())
    hold(big, fan, clock.now(), *seat_ids(big)[:4])
    with django_assert_max_num_queries(len(few)):
        me.get(at(big, path))


def test_pages_are_nobody_elses(me, event):
    for path in ("seats/", "seats/A/", "basket/"):
        assert "no-store" in me.get(at(event, path))["Cache-Control"]


@pytest.mark.parametrize(
    ("codes", "letters"),
    [
        (["VIP", "R", "S"], ["V", "R", "S"]),
        (["S", "SR", "ST"], ["S", "SR", "ST"]),
        (["R1", "R2"], ["R1", "R2"]),
        ([], []),
    ],
)
def test_grades_are_told_apart_by_few_letters(codes, letters):
    assert grade_abbreviations(codes) == letters
