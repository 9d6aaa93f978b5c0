"""The websocket of the seat map, on the real server."""

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from reservations import gate, metrics, services
from tests.making import make_event, seat_ids
from tests.reservations.acting import hold
from tests.waiting_queue.api.conftest import logged_in
from ticketing.core import clock
from ticketing.core.browsers import browser_of
from ticketing.events.models import Event
from ticketing.events.seat_list.cached import seat_list
from ticketing.events.services import block_seats
from waiting_queue import services as queue
from waiting_queue.models import SaleQueue

pytestmark = pytest.mark.django_db(transaction=True)


def test_every_map_gets_a_hold_and_its_end_in_the_same_frames(event, fan, now, open_map):
    maps = [open_map(event.pk) for _ in range(2)]
    assert [one.changes() for one in maps] == [{}, {}]
    one, two, *_ = seat_ids(event)

    held = hold(event, fan, now, one, two).reservation
    assert [each.changes() for each in maps] == [{"h": [one, two]}] * 2

    services.release(event_id=event.pk, code=held.code, fan_id=fan.pk, now=now)
    assert [each.changes() for each in maps] == [{"a": [one, two]}] * 2


def test_a_sale_is_pushed(event, fan, now, open_map):
    one, *_ = seat_ids(event)
    held = hold(event, fan, now, one).reservation
    watcher = open_map(event.pk)
    assert watcher.changes() in ({}, {"h": [one]})
    services.extend_for_payment(code=held.code, fan_id=fan.pk, now=now)

    services.confirm(code=held.code, now=now)

    while (told := watcher.changes()) != {"s": [one]}:
        assert told == {"h": [one]}


def test_a_new_map_gets_what_changed_lately(event, fan, open_map):
    first, (one, two, *_) = open_map(event.pk), seat_ids(event)
    first.changes()
    held = hold(event, fan, clock.now(), one).reservation
    hold(event, fan, clock.now(), two)
    services.release(event_id=event.pk, code=held.code, fan_id=fan.pk, now=clock.now())
    while one not in first.changes().get("a", []):
        pass

    assert open_map(event.pk).changes() == {"h": [two], "a": [one]}


def test_one_event_gets_nothing_of_another(event, fan, now, open_map):
    other = make_event(now)
    watcher = open_map(other.pk)
    watcher.changes()

    hold(event, fan, now, seat_ids(event)[0])

    assert watcher.pending() == []


def test_after_an_operators_change_maps_fetch_the_list(event, open_map, now):
    seat_list(event.pk, known=[])
    watcher = open_map(event.pk)
    watcher.changes()
    assert watcher.pending() == []

    block_seats(event_id=event.pk, seat_ids=seat_ids(event)[:1], by=None, reason="", now=now)

    assert watcher.next("refresh") == {"type": "refresh"}


def test_after_holds_alone_maps_do_not_fetch_the_list(event, fan, now, open_map):
    seat_list(event.pk, known=[])
    watcher = open_map(event.pk)
    watcher.changes()
    assert watcher.pending() == []

    hold(event, fan, now, seat_ids(event)[0])
    watcher.changes()

    assert watcher.pending() == []


def test_a_hold_request_is_pushed_to_its_fan_alone(event, fan, rival, now, open_map):
    mine, theirs = (open_map(event.pk, logged_in(who)) for who in (fan, rival))
    one, *_ = seat_ids(event)
    hold(event, rival, now, one)
    gate.rebuild(event.pk, {})  # which would have refused at once
    asked = services.request_hold(event_id=event.pk, seat_ids=[one], fan_id=fan.pk, now=now)
    services.process_hold_requests(now=now)

    told = [mine.next("RESERVATION_STATUS") for _ in range(2)]

    assert [each["state"] for each in told] == ["PROCESSING", "FAILED"]
    assert {each["code"] for each in told} == {asked.code}
    assert told[-1]["refusal"]["message"] == "Someone else was faster."
    assert {each["type"] for each in theirs.pending()} == {"seats"}


def test_a_request_that_is_fulfilled_names_its_reservation(event, fan, now, open_map):
    mine = open_map(event.pk, logged_in(fan))
    services.request_hold(event_id=event.pk, seat_ids=seat_ids(event)[:1], fan_id=fan.pk, now=now)
    services.process_hold_requests(now=now)

    mine.next("RESERVATION_STATUS")
    told = mine.next("RESERVATION_STATUS")

    assert (told["state"], told["reservation"]) == ("SUCCESS", fan.reservations.get().code)


def test_an_event_that_is_not_public_has_no_live_map(event, open_map):
    Event.objects.update(state="draft")
    refused = open_map(event.pk)

    assert refused.next("error")["code"] == "not_found"
    with pytest.raises(ConnectionClosed) as closed:
        refused.socket.recv(timeout=60)
    assert closed.value.rcvd.code == 4404


def test_another_sites_page_can_not_connect(event, open_map):
    with pytest.raises(InvalidStatus):
        open_map(event.pk, Origin="https://evil.example")


def test_a_message_to_the_socket_ends_it(event, open_map):
    watcher = open_map(event.pk)
    watcher.socket.send("{}")

    assert watcher.next("error")["code"] == "invalid_input"


def test_a_server_that_stops_says_when_to_reconnect(event, served, open_map):
    watcher = open_map(event.pk)
    watcher.changes()

    served.server.should_exit = True

    assert 0 <= watcher.next("reconnect")["after_ms"] <= 2_000


def test_connections_are_counted(event, open_map):
    before = metrics.CONNECTIONS._value.get()
    watcher = open_map(event.pk)
    watcher.changes()
    during = metrics.CONNECTIONS._value.get()
    watcher.socket.close()

    assert during == before + 1


# -- the pass --------------------------------------------------------------------------------------


def test_every_map_of_a_person_is_told_which_browser_has_the_pass(event, fan, rival, now, open_map):
    SaleQueue.objects.create(event=event, opens_at=now, admit_per_second=0)
    queue.move_queue(event_id=event.pk, to="open", by=None, now=now)
    cookies = {name: f"browser={name * 22}" for name in "AB"}
    marks = {name: browser_of({"cookie": cookie}).mark for name, cookie in cookies.items()}
    queue.join(event_id=event.pk, person=str(fan.pk), now=now, browser=marks["A"])
    session = logged_in(fan)
    maps = [open_map(event.pk, Cookie=f"sessionid={session}; {cookies[name]}") for name in "AB"]
    stranger = open_map(event.pk, session=logged_in(rival))
    for each in (*maps, stranger):
        each.changes()

    services.take_over(event_id=event.pk, fan_id=fan.pk, browser=marks["B"], now=now)

    assert [each.next("pass")["elsewhere"] for each in maps] == [True, False]
    assert "pass" not in [frame["type"] for frame in stranger.pending()]
