"""The list on pages, without a script; in the API; and in the admin."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.db import IntegrityError
from django.test import Client
from django.urls import reverse

from payments.services import deliver_messages
from reservations import services
from reservations.models import Reservation, StandbyChange, StandbyEntry
from tests.making import make_user
from tests.reservations.standby.acting import joined, refunded, states_of
from ticketing.events.models import Event
from waiting_queue import services as queue
from waiting_queue.models import SaleQueue

pytestmark = pytest.mark.django_db(transaction=True)
BACKEND = "django.contrib.auth.backends.ModelBackend"


def browser_of(user):
    own = {"accept-language": "en", "sec-fetch-site": "same-origin"}
    client = Client(headers=own)
    client.force_login(user, backend=BACKEND)
    return client


@pytest.fixture
def browser(fan):
    return browser_of(fan)


def page(event, name="standby"):
    return reverse(f"reservations:{name}", args=[event.pk])


def text_of(browser, address):
    answer = browser.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_stranger_is_asked_to_log_in_and_comes_back(event, orders):
    text = text_of(Client(headers={"accept-language": "en"}), page(event))

    assert f"?next={page(event)}" in text


def test_join_see_the_place_ask_for_fewer_and_leave(event, orders, browser, fan, now):
    joined(event, now)
    browser.post(page(event, "join_standby"), {"quantity": 3, "grade": "R"})
    waiting = text_of(browser, page(event))

    browser.post(page(event, "join_standby"), {"quantity": 1})
    fewer = StandbyEntry.objects.get(fan=fan).quantity
    browser.post(page(event, "leave_standby"))

    assert '<span class="turn__number">2</span>' in waiting
    assert "3 seats together" in waiting
    assert "Only R seat." in waiting
    assert fewer == 1
    assert StandbyEntry.objects.get(fan=fan).state == "left"
    assert "You can join again at the end." in text_of(browser, page(event))


def test_whoever_has_all_seats_a_person_may_have_is_led_to_their_tickets(event, orders, now):
    owner = orders[0].fan
    Event.objects.update(seats_per_person=1)

    text = text_of(browser_of(owner), page(event))

    assert "and you have reached it." in text
    assert f'href="{reverse("reservations:tickets")}">My tickets</a>' in text.split("<main")[1]


def test_more_is_refused_in_words(event, orders, browser, fan, now):
    joined(event, now, fan=fan)

    answer = browser.post(page(event, "join_standby"), {"quantity": 2}, follow=True)

    assert "only ask for fewer" in answer.content.decode()
    assert StandbyEntry.objects.get(fan=fan).quantity == 1


def test_an_offer_is_shown_with_its_time_and_the_way_to_pay(event, orders, browser, fan, now):
    joined(event, now, fan=fan)
    refunded(now, orders[0])
    services.process_returned_seats(now=now)

    text = text_of(browser, page(event))

    code = Reservation.objects.get(offer__fan=fan).code
    assert reverse("payments:checkout", args=[code]) in text
    assert "data-deadline" in text
    assert code in text_of(browser, reverse("reservations:basket", args=[event.pk]))


def test_a_missed_offer_is_said_before_anybody_wrote_it_down(event, orders, browser, fan, now):
    entry = joined(event, now, fan=fan)
    refunded(now, orders[0])
    services.process_returned_seats(now=now)
    past = now - timedelta(hours=1)
    Reservation.objects.filter(offer=entry).update(created_at=past, deadline=now)

    text = text_of(browser, page(event))

    assert "the time to pay for them ran out" in text
    assert 'name="quantity"' in text


@pytest.mark.parametrize("address", ["ticketing:event", "reservations:seats", "queue:line"])
def test_every_page_of_a_sold_out_sale_leads_to_the_list(
    event, orders, browser, operator, now, address
):
    queue.create_queue(event_id=event.pk, by=operator, now=now, opens_at=now)
    queue.move_queue(event_id=event.pk, to=SaleQueue.State.OPEN, by=operator, now=now)

    assert page(event) in text_of(browser, reverse(address, args=[event.pk]))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"returns": "announced"}, "go back on sale together on"),
        ({"returns": "jittered", "returns_minutes": 30}, "within 30 minutes"),
    ],
)
def test_other_policies_are_said_on_the_pages(event, orders, browser, now, fields, words):
    Event.objects.filter(pk=event.pk).update(returns_at=now + timedelta(days=1), **fields)

    for address in ("ticketing:event", "reservations:seats"):
        text = text_of(browser, reverse(address, args=[event.pk]))
        assert words in text
        assert page(event) not in text
    assert "no standby list now" in text_of(browser, page(event))


def test_while_there_are_seats_nothing_is_said_of_a_list(event, browser):
    assert page(event) not in text_of(browser, reverse("ticketing:event", args=[event.pk]))
    assert 'name="quantity"' not in text_of(browser, page(event))


def test_the_offer_comes_by_mail(event, orders, fan, now, mailoutbox):
    services.join_standby(event_id=event.pk, fan_id=fan.pk, quantity=1, language="en", now=now)
    refunded(now, orders[0])
    services.process_returned_seats(now=now)

    deliver_messages(now=now)

    (mail,) = [mail for mail in mailoutbox if mail.to == [fan.email]]
    assert event.title_en in mail.subject


# -- the API --------------------------------------------------------------------------------------


def api(event):
    return reverse("reservations_api:standby", args=[event.pk])


def test_the_api_joins_shows_and_leaves(event, orders, browser, now):
    joined(event, now)
    wish = {"quantity": 2, "grade": "S"}

    made = browser.post(api(event), wish, content_type="application/json").json()
    seen = browser.get(api(event)).json()
    left = browser.delete(api(event)).json()

    assert (made["state"], made["place"], made["quantity"]) == ("WAITING", 2, 2)
    assert (seen["place"], seen["grade"], seen["reservation"]) == (2, "S", None)
    assert (left["state"], left["place"]) == ("LEFT", None)


def test_the_api_tells_an_offer_to_its_owner_only(event, orders, browser, fan, rival, now):
    joined(event, now, fan=fan)
    refunded(now, orders[0])
    services.process_returned_seats(now=now)

    mine, theirs = browser.get(api(event)).json(), browser_of(rival).get(api(event))

    offer = Reservation.objects.get(offer__fan=fan)
    assert (mine["state"], mine["reservation"]) == ("OFFERED", offer.code)
    assert (theirs.status_code, theirs.json()["code"]) == (404, "no_standby")
    assert Client().get(api(event)).status_code == 401


def test_the_api_refuses_with_a_reason(event, browser):
    answer = browser.post(api(event), {"quantity": 1}, content_type="application/json")

    assert (answer.status_code, answer.json()["code"]) == (409, "not_sold_out")
    bad = browser.post(api(event), {"quantity": 0}, content_type="application/json")
    assert bad.status_code == 400


# -- the admin ------------------------------------------------------------------------------------


def desk_page(name, *args):
    return reverse(f"admin:reservations_standbyentry_{name}", args=args)


def test_operators_see_the_list_in_order_and_what_was_offered(event, orders, operator, now):
    first, second, third = (joined(event, now) for _ in range(3))
    refunded(now, orders[0])
    services.process_returned_seats(now=now)
    desk = browser_of(operator)

    rows = desk.get(desk_page("changelist")).context["cl"].result_list
    shown = text_of(desk, desk_page("change", first.pk))

    assert list(rows) == [first, second, third]
    assert Reservation.objects.get(offer=first).code in shown
    assert "offered" in shown


def test_an_operator_takes_somebody_off_with_a_reason(event, orders, operator, now):
    entry, desk = joined(event, now), browser_of(operator)
    refused = desk.post(desk_page("remove", entry.pk), {"reason": ""})
    still = states_of(entry)

    desk.post(desk_page("remove", entry.pk), {"reason": "asked by phone"})

    assert (refused.context["form"].errors != {}, still) == (True, ["waiting"])
    assert states_of(entry) == ["left"]
    assert "asked by phone" in text_of(desk, desk_page("change", entry.pk))


def test_who_may_only_look_can_not(event, orders, now):
    entry, viewer = joined(event, now), make_user(is_staff=True)
    viewer.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    desk = browser_of(viewer)

    shown = text_of(desk, desk_page("change", entry.pk))

    assert desk_page("remove", entry.pk) not in shown
    assert desk.post(desk_page("remove", entry.pk), {"reason": "x"}).status_code == 403
    assert states_of(entry) == ["waiting"]


def test_what_was_written_down_stays(event, orders, now):
    joined(event, now)

    with pytest.raises(IntegrityError, match="is final"):
        StandbyChange.objects.update(why="x")


def test_an_announced_return_has_a_time(event):
    with pytest.raises(IntegrityError, match="an_announced_return_has_a_time"):
        Event.objects.filter(pk=event.pk).update(returns="announced")
