"""The websocket of the waiting page, on the real server."""

import json
import signal
import socket
from datetime import timedelta

import pytest
from django.core.cache import cache
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.making import make_event, seat_ids
from tests.waiting_queue.live.conftest import PATIENCE, move, publish, wait_until
from ticketing.core import clock
from ticketing.core.live import send_buffer, shutdown
from ticketing.core.server_signals import server_stopping
from ticketing.events.models import Event, Seat
from waiting_queue import services, store
from waiting_queue.models import SaleQueue
from waiting_queue.services import tick_messages
from waiting_queue.store.line import CLAIM_GRACE_MS
from waiting_queue.tokens import read_token


def seconds(number: float) -> timedelta:
    return timedelta(seconds=number)


@pytest.fixture(autouse=True)
def fresh_outlooks() -> None:
    tick_messages._outlooks.clear()


# -- what a page is sent --------------------------------------------------------------------------


def test_a_page_gets_its_standing_at_once_and_whenever_it_changes(paused, make_fan, tick):
    ann, ben = make_fan(paused), make_fan(paused)
    ann.join(), ben.join()
    page = ben.open()

    first = page.greeted()
    tick()
    ann.leave()
    tick()
    moved = page.until(ahead=0)

    assert (first["state"], first["ahead"], first["number"]) == ("WAITING", 1, 2)
    assert (moved["position"], moved["total"], moved["token"]) == (1, 1, None)


def test_the_first_frames_are_the_standing_the_outlook_and_the_notice(paused, make_fan, tick):
    fan = make_fan(paused)
    fan.join()
    services.set_notice(event_id=paused.pk, message="문이 늦게 열려요", by=None, now=tick.now)
    tick()
    page = fan.open()

    page.greeted()

    standing, outlook, notice = page.frames
    assert [frame["type"] for frame in page.frames] == ["standing", "outlook", "notice"]
    assert {grade["code"] for grade in outlook["grades"]} == {"R", "S"}
    assert notice == {"type": "notice", "message": "문이 늦게 열려요"}
    assert set(standing) == {"type", *fan.ask().json()}
    assert read_token(standing["token"]).person == fan.person


def test_a_call_comes_with_its_deadline_and_an_admission_with_its_address(paused, make_fan, tick):
    fan = make_fan(paused)
    fan.join()
    page = fan.open()
    page.greeted()
    move(paused, "open", tick.now)

    tick(2)
    ready = page.until(state="READY")
    services.claim(event_id=paused.pk, person=fan.person, now=tick.now)
    tick()
    inside = page.until(state="ADMITTED")

    assert ready["deadline"] > tick.now.isoformat(timespec="milliseconds")
    assert (ready["go_to"], ready["position"]) == (None, None)
    assert inside["go_to"] == f"/events/{paused.pk}/seats/"
    assert inside["status"] == "entered"
    assert inside["deadline"] > ready["deadline"]


def test_a_missed_call_is_pushed(paused, make_fan, tick):
    fan = make_fan(paused)
    fan.join()
    page = fan.open()
    page.greeted()
    services.set_knobs(event_id=paused.pk, knobs={"claim_seconds": 5}, by=None, now=tick.now)
    move(paused, "open", tick.now)

    tick(2)
    page.until(state="READY")
    tick(6 + CLAIM_GRACE_MS // 1000)

    assert page.until(state="EXPIRED")["token"] is None


def test_a_pause_and_its_end_are_pushed(open_queue, make_fan, tick):
    services.set_knobs(event_id=open_queue.pk, knobs={"max_inside": 1}, by=None, now=tick.now)
    tick()
    fans = [make_fan(open_queue) for _ in range(3)]
    for fan in fans:
        fan.join()
    page = fans[-1].open()
    page.greeted()

    tick()
    move(open_queue, "paused", tick.now)
    tick()
    stopped = page.until(paused=True)
    move(open_queue, "open", tick.now)
    tick()
    going = page.until(paused=False)

    assert (stopped["queue_state"], stopped["eta_seconds"]) == ("paused", None)
    assert (going["queue_state"], going["state"]) == ("open", "WAITING")


def test_an_operators_notice_is_pushed_and_taken_back(paused, make_fan, tick):
    fan = make_fan(paused)
    fan.join()
    page = fan.open()
    page.greeted()
    tick()

    for message in ("20 minutes late", ""):
        services.set_notice(event_id=paused.pk, message=message, by=None, now=tick.now)
        tick()

    notice = page.next("notice")["message"]
    while notice != "20 minutes late":
        notice = page.next("notice")["message"]
    assert page.next("notice")["message"] == ""


def test_sold_out_is_pushed(paused, make_fan, tick):
    fan = make_fan(paused)
    fan.join()
    tick()
    page = fan.open()
    page.greeted()
    before = next(frame for frame in page.frames if frame["type"] == "outlook")
    Seat.objects.filter(pk__in=seat_ids(paused.event)).update(state=Seat.State.SOLD)
    Event.objects.filter(pk=paused.pk).update(state=Event.State.SOLD_OUT)
    cache.delete(f"seats-by-grade:{paused.pk}")  # counts are kept for a second

    tick()  # at once, though seats are counted every five seconds
    outlook = page.next("outlook")
    while not outlook["sold_out"]:
        outlook = page.next("outlook")

    assert before["sold_out"] is False
    assert {grade["free"] for grade in outlook["grades"]} == {0}


def test_the_end_of_a_queue_is_pushed_and_the_page_closed(paused, make_fan, tick):
    fan = make_fan(paused)
    fan.join()
    page = fan.open()
    page.greeted()
    move(paused, "closed", tick.now)

    tick()
    frames, code = page.to_the_end()
    after, refused = fan.connect().to_the_end()

    assert (frames[-1]["state"], frames[-1]["queue_state"], code) == ("CLOSED", "closed", 1012)
    assert [frame["code"] for frame in after] == ["queue_over"]
    assert refused == 4409


def test_from_the_lobby_through_the_draw_to_a_number(queue, make_fan, tick):
    move(queue, "lobby", tick.now)
    fans = [make_fan(queue) for _ in range(5)]
    for fan in fans:
        fan.join()
    pages = [fan.open() for fan in fans]
    first = [page.greeted() for page in pages]
    services.set_knobs(event_id=queue.pk, knobs={"max_inside": 1}, by=None, now=tick.now)
    move(queue, "open", tick.now)

    tick(3)
    called = [page.next() for page in pages]
    while any(frame["number"] is None for frame in called):
        called = [
            frame if frame["number"] else page.next()
            for page, frame in zip(pages, called, strict=True)
        ]

    assert {(frame["state"], frame["lobby"], frame["number"]) for frame in first} <= {
        ("LOBBY", number, None) for number in range(1, 6)
    }
    assert sorted(frame["number"] for frame in called) == [1, 2, 3, 4, 5]
    assert all(read_token(frame["token"]).number == frame["number"] for frame in called)


def test_from_a_minute_through_its_draw_to_a_number(queue, make_fan, tick):
    knobs = {"mode": "minute_draw", "max_inside": 1, "admit_per_second": 1e-9}
    services.set_knobs(event_id=queue.pk, knobs=knobs, by=None, now=tick.now)
    move(queue, "open", tick.now)
    fans = [make_fan(queue) for _ in range(5)]
    for fan in fans:
        fan.join()
    pages = [fan.open() for fan in fans]
    first = [page.greeted() for page in pages]

    tick.now += seconds(65)
    tick(2)
    drawn = [page.until(state="WAITING") for page in pages]

    assert {(frame["state"], frame["number"]) for frame in first} == {("LOBBY", None)}
    assert sorted(frame["number"] for frame in drawn) == [1, 2, 3, 4, 5]
    assert all(read_token(frame["token"]).number == frame["number"] for frame in drawn)


# -- tabs, reconnects, joining --------------------------------------------------------------------


def test_two_tabs_show_the_same_place_and_leaving_in_one_reaches_the_other(paused, make_fan, tick):
    ann, ben = make_fan(paused), make_fan(paused)
    ann.join(), ben.join()
    one, two = ben.open(), ben.open()
    first = one.greeted(), two.greeted()

    ann.leave()
    tick()
    moved = one.until(ahead=0), two.until(ahead=0)
    ben.ask(method="DELETE")
    tick()
    left = one.until(state="LEFT"), two.until(state="LEFT")

    assert first[0]["number"] == first[1]["number"] == 2
    assert moved[0] == moved[1]
    assert (left[0]["token"], left[1]["number"]) == (None, None)


def test_joining_again_in_one_tab_reaches_the_other(paused, make_fan, tick):
    make_fan(paused).join()
    fan = make_fan(paused)
    fan.join()
    page = fan.open()
    page.greeted()
    tick()
    fan.leave()
    tick()
    page.until(state="LEFT")

    fan.ask(method="POST")
    tick()
    back = page.until(state="WAITING")

    assert (back["number"], back["ahead"]) == (3, 1)
    assert read_token(back["token"]).number == 3


def test_coming_back_keeps_the_place(paused, make_fan, tick):
    ann, ben = make_fan(paused), make_fan(paused)
    ann.join(), ben.join()
    before = [ben.open().greeted() for _ in range(2)]
    page = ben.open()
    page.socket.close()

    after = ben.open().greeted()

    assert {frame["number"] for frame in [*before, after]} == {2}
    assert after["ahead"] == 1


def test_connecting_can_join_and_does_so_once(paused, make_fan, tick):
    fan = make_fan(paused)

    first = fan.open("?join=1").greeted()
    again = fan.open("?join=1").greeted()
    only_looking = make_fan(paused).open().greeted()

    assert (first["state"], first["number"], again["number"]) == ("WAITING", 1, 1)
    assert only_looking["state"] == "NONE"
    assert store.run(store.snapshot(paused.pk))["last_number"] == "1"


def test_the_token_of_the_place_opens_a_page_too(paused, make_fan):
    fan = make_fan(paused)
    fan.join()
    token = fan.open().greeted()["token"]

    page = fan.open(Cookie="", Authorization=f"Bearer {token}")

    assert page.greeted()["number"] == 1


# -- refusals -------------------------------------------------------------------------------------


def refused(page) -> tuple[str, str, int]:
    (frame,), code = page.to_the_end()
    assert frame["type"] == "error"
    return frame["code"], frame["message"], code


def test_without_a_login_there_is_one_error_and_a_close(paused, make_fan):
    fan = make_fan(paused)

    korean = refused(fan.connect(Cookie="", **{"Accept-Language": "ko"}))
    english = refused(fan.connect(Cookie="sessionid=nonsense", **{"Accept-Language": "en"}))

    assert (korean[0], korean[2]) == (english[0], english[2]) == ("not_logged_in", 4401)
    assert korean[1] != english[1]
    assert english[1].isascii()


@pytest.mark.parametrize("origin", ["http://localhost:1", "https://evil.example"])
def test_another_origin_does_not_even_get_a_socket(paused, make_fan, origin):
    """Another port of the same host is another origin."""
    with pytest.raises(InvalidStatus) as refusal:
        make_fan(paused).connect(Origin=origin)

    assert refusal.value.response.status_code == 403


def test_without_an_event_or_a_queue_the_socket_is_refused(paused, make_fan, now):
    missing, without = make_fan(999_999), make_fan(make_event(now))

    assert refused(missing.connect())[::2] == ("no_queue", 4404)
    assert refused(without.connect())[::2] == ("no_queue", 4404)


def test_before_the_opening_there_is_no_line(queue, make_fan):
    fan = make_fan(queue)

    assert refused(fan.connect())[::2] == ("queue_not_open", 4409)
    assert refused(fan.connect("?join=1"))[::2] == ("queue_not_open", 4409)


def test_a_block_is_pushed_and_joining_is_refused_with_its_reason(paused, make_fan, tick):
    fan = make_fan(paused)
    fan.join()
    page = fan.open()
    page.greeted()
    tick()
    services.block(event_id=paused.pk, person=fan.person, by=None, why="a bot", now=tick.now)

    tick()
    blocked = page.until(state="BLOCKED")
    code, message, closed = refused(fan.connect("?join=1", **{"Accept-Language": "en"}))

    assert blocked["token"] is None
    assert (code, closed) == ("blocked", 4403)
    assert "a bot" in message


def test_a_full_line_is_a_refusal(paused, make_fan, tick):
    services.set_knobs(event_id=paused.pk, knobs={"capacity": 1}, by=None, now=tick.now)
    tick()
    make_fan(paused).join()

    assert refused(make_fan(paused).connect("?join=1"))[::2] == ("queue_full", 4409)


@pytest.mark.parametrize("text", ["hello", '{"type":"ping"}', b"\x00", ""])
def test_one_message_to_the_socket_ends_it(paused, make_fan, served, text):
    fan = make_fan(paused)
    fan.join()
    page = fan.open()
    page.greeted()

    page.socket.send(text)
    frames, code = page.to_the_end()

    assert [frame["code"] for frame in frames] == ["invalid_input"]
    assert code == 4400
    wait_until(lambda: served.subscribers(paused) == 0)


def test_a_token_of_another_event_or_an_earlier_stay_opens_nothing(paused, make_fan):
    fan = make_fan(paused)
    fan.join()
    old = fan.open().greeted()["token"]
    fan.leave()
    fan.join()
    wrong = [fan.connect(Cookie="", Authorization=f"Bearer {token}") for token in (old, "qr_x.y")]

    assert [refused(page)[::2] for page in wrong] == [("bad_queue_token", 4401)] * 2


# -- signs of life --------------------------------------------------------------------------------


def test_an_open_page_keeps_the_place_and_a_closed_one_lets_it_lapse(
    paused, make_fan, served, tick
):
    services.set_knobs(event_id=paused.pk, knobs={"absence_seconds": 10}, by=None, now=tick.now)
    ann, ben = make_fan(paused), make_fan(paused)
    ann.join(), ben.join()
    open_page, closed_page = ann.open(), ben.open()
    open_page.greeted(), closed_page.greeted()
    closed_page.socket.close()
    wait_until(lambda: served.subscribers(paused) == 1)

    for _ in range(15):
        tick()
        served.send_heartbeats(paused, tick.now)
    alone = open_page.until(total=1)
    states = [services.standing(event_id=paused.pk, person=fan.person, now=tick.now).state
              for fan in (ann, ben)]  # fmt: skip

    assert (alone["state"], alone["ahead"]) == ("WAITING", 0)
    assert states == ["waiting", "expired"]


def test_a_connection_that_breaks_off_is_noticed(paused, make_fan, served):
    fan = make_fan(paused)
    fan.join()
    page = fan.open()
    page.greeted()
    wait_until(lambda: served.subscribers(paused) == 1)

    page.socket.socket.shutdown(socket.SHUT_RDWR)

    wait_until(lambda: served.subscribers(paused) == 0)


# -- slow clients ---------------------------------------------------------------------------------


def slow_client(fan) -> socket.socket:
    """Shakes hands, and then reads nothing."""
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    line.settimeout(PATIENCE)
    line.connect(("127.0.0.1", fan.served.port))
    line.sendall(
        (
            f"GET /ws/events/{fan.event_id}/queue/ HTTP/1.1\r\n"
            f"Host: localhost:{fan.served.port}\r\n"
            f"Origin: {fan.served.origin}\r\nCookie: sessionid={fan.session}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        ).encode()
    )
    return line


def texts(line: socket.socket) -> list[dict]:
    """Every frame that comes until nothing does for a moment."""
    raw = b""
    line.settimeout(2)
    try:
        while part := line.recv(65_536):
            raw += part
    except TimeoutError:
        pass
    raw, frames = raw.partition(b"\r\n\r\n")[2], []
    while raw:
        size, start = raw[1] & 127, 2
        if size > 125:
            wide = 2 if size == 126 else 8
            size, start = int.from_bytes(raw[2 : 2 + wide]), 2 + wide
        if raw[0] & 15 == 1:
            frames.append(json.loads(raw[start : start + size]))
        raw = raw[start + size :]
    return frames


def test_a_slow_client_delays_nobody_and_gets_the_newest_afterwards(paused, make_fan, served):
    ann, ben, cem = (make_fan(paused) for _ in range(3))
    for fan in (ann, ben, cem):
        fan.join()
    quick = ben.open()
    quick.greeted()
    slow = slow_client(cem)
    wait_until(lambda: served.subscribers(paused) == 2)
    notices = [f"{number} " + "x" * 50_000 for number in range(40)]

    for notice in notices:
        publish(paused.pk, notice=notice)
        while quick.next("notice")["message"] != notice:
            pass  # received while the other one is stuck
    ann.leave()
    publish(paused.pk, notice="the last")
    quick.until(ahead=0)
    frames = texts(slow)
    slow.close()

    messages = [frame["message"] for frame in frames if frame["type"] == "notice"]
    places = [frame["ahead"] for frame in frames if frame["type"] == "standing"]
    assert messages[-1] == "the last"
    assert len(messages) < len(notices)  # the older ones were dropped
    assert places[-1] == 1


def test_a_client_that_reads_nothing_any_more_is_unsubscribed(
    paused, make_fan, served, monkeypatch
):
    monkeypatch.setattr(send_buffer, "STALL_SECONDS", 0.2)
    ann, ben = make_fan(paused), make_fan(paused)
    ann.join(), ben.join()
    quick = ann.open()
    quick.greeted()
    stuck = slow_client(ben)
    wait_until(lambda: served.subscribers(paused) == 2)

    for number in range(10):
        publish(paused.pk, notice=f"{number} " + "x" * 50_000)
        quick.next("notice")
    wait_until(lambda: served.subscribers(paused) == 1)

    assert list(served.hub.topics[paused.pk].people) == [ann.person]
    stuck.close()


# -- shutdown -------------------------------------------------------------------------------------


def test_a_server_that_stops_says_when_to_reconnect(paused, make_fan, served):
    fans = [make_fan(paused) for _ in range(12)]
    for fan in fans:
        fan.join()
    pages = [fan.open() for fan in fans]
    for page in pages:
        page.greeted()

    served.server.handle_exit(signal.SIGTERM, None)
    ends = [page.to_the_end() for page in pages]
    served.thread.join(PATIENCE)

    moments = [frames[-1]["after_ms"] for frames, _ in ends]
    assert {frames[-1]["type"] for frames, _ in ends} == {"reconnect"}
    assert {code for _, code in ends} == {1012}
    assert len(set(moments)) > 6
    assert max(moments) <= 1000 * shutdown.LEAST_SPREAD_SECONDS
    assert not served.thread.is_alive()


def test_another_receiver_that_fails_does_not_stop_the_goodbye(paused, make_fan, served):
    async def failing(**_: object) -> None:
        raise RuntimeError("broken")

    fan = make_fan(paused)
    fan.join()
    page = fan.open()
    page.greeted()
    server_stopping.connect(failing)
    try:
        served.stop()
        frames, code = page.to_the_end()
    finally:
        server_stopping.disconnect(failing)

    assert (frames[-1]["type"], code) == ("reconnect", 1012)
    assert served.server.ended_well


# -- what it costs --------------------------------------------------------------------------------


def test_connecting_and_being_pushed_to_cost_no_sql(paused, make_fan, statements):
    ann, ben = make_fan(paused), make_fan(paused)
    ann.join(), ben.join()
    services.standing(event_id=paused.pk, person=ben.person, now=clock.now())
    statements.clear()

    page = ben.open()
    page.greeted()
    ann.leave()
    publish(paused.pk)
    page.until(ahead=0)

    assert statements == []


def test_an_unknown_path_and_plain_http_get_an_answer(paused, make_fan, served):
    with connect(f"ws://localhost:{served.port}/ws/events/x/queue/", origin=served.origin) as line:
        frame = json.loads(line.recv(timeout=PATIENCE))

    assert frame["code"] == "not_found"
    assert SaleQueue.objects.filter(pk=paused.pk).exists()
