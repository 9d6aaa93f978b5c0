"""The pages of two browsers of one person, without a script: one chooses, the other can go on."""

import pytest
from django.test import Client

from tests.making import seat_ids
from tests.reservations.views.test_seats import BROWSER, at, basket, event, line, text
from tests.waiting_queue.api.conftest import logged_in
from waiting_queue import services as queue

pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["event", "line"]
GO_ON = 'action="/events/{}/go-on-here/"'


@pytest.fixture
def browsers(fan, line):
    """Both are logged in; the first came in."""
    made = []
    for _ in range(2):
        client = Client(headers=BROWSER)
        client.cookies["sessionid"] = logged_in(fan)
        made.append(client)
    joined = made[0].post(at(line.event, "queue/"))
    assert joined.headers["Location"] == at(line.event)
    return made


def chooses(browser, event):
    return "It is your turn." in text(browser.get(at(event)))


def test_joining_gives_a_browser_its_cookie_once(browsers, event):
    first, _ = browsers
    given = first.cookies["browser"].value

    first.post(at(event, "queue/"))

    assert (len(given), first.cookies["browser"].value) == (22, given)


@pytest.mark.parametrize("path", ["seats/", "seats/A/", "queue/"])
def test_the_other_browser_is_shown_the_way_to_go_on(browsers, event, path):
    first, second = browsers
    assert chooses(first, event)

    assert GO_ON.format(event.pk) in text(second.get(at(event, path)))


def test_the_seats_are_held_where_the_person_goes_on(browsers, event, fan):
    first, second = browsers
    one, two, *_ = seat_ids(event)
    assert chooses(first, event)

    refused = second.post(at(event, "basket/seats/"), {"seat": one})
    went_on = second.post(at(event, "go-on-here/"))
    second.post(at(event, "basket/seats/"), {"seat": one})
    too_late = first.post(at(event, "basket/seats/"), {"seat": two})

    for answer in (refused, went_on, too_late):
        assert (answer.status_code, answer.headers["Location"]) == (303, at(event))
    assert basket(event, fan) == [one]
    assert [chooses(browser, event) for browser in browsers] == [False, True]
    assert GO_ON.format(event.pk) in text(first.get(at(event)))


def test_whoever_is_not_inside_takes_nothing_over(browsers, event, fan, now):
    _, second = browsers
    queue.leave(event_id=event.pk, person=str(fan.pk), now=now)

    answer = second.post(at(event, "go-on-here/"))

    assert answer.headers["Location"] == at(event)
    assert "browser" not in second.cookies


def test_a_stranger_is_asked_to_log_in_and_a_link_changes_nothing(browsers, event):
    assert Client(headers=BROWSER).post(at(event, "go-on-here/")).status_code == 401
    assert browsers[1].get(at(event, "go-on-here/")).headers["Location"] == at(event)
    assert chooses(browsers[0], event)
