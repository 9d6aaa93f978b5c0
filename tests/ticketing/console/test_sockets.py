"""The console's websocket, on the real server."""

import json
from contextlib import ExitStack
from datetime import timedelta

import pytest
from django.contrib.auth.models import Group
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.making import make_event
from tests.waiting_queue.api.conftest import logged_in
from tests.waiting_queue.live.conftest import Served, served, wait_until
from ticketing.console import keys, live
from ticketing.console.services import sample_sales
from ticketing.core import redis
from waiting_queue import services as queues
from waiting_queue.models import SaleQueue

__all__ = ["served"]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def opened(served: Served):
    def open_console(event_id, session="", since=0):
        """`event_id` None: the overview."""
        headers = {"Origin": served.origin, "Accept-Language": "en"}
        if session:
            headers["Cookie"] = f"sessionid={session}"
        which = "" if event_id is None else f"{event_id}/?since={since}"
        address = f"ws://localhost:{served.port}/ws/console/{which}"
        return stack.enter_context(connect(address, additional_headers=headers))

    with ExitStack() as stack:
        yield open_console


def next_frame(socket, kind):
    while True:
        frame = json.loads(socket.recv(timeout=60))
        if frame["type"] == kind:
            return frame


def listening():
    channel = keys.sample_channel(redis.database())
    return redis.client().pubsub_numsub(channel)[0][1]


def seconds_of(frame):
    return [row[0] for row in frame["seconds"]]


def test_history_comes_first_and_then_every_second(sale, person_of, now, opened):
    sample_sales(now=now)
    console = opened(sale.pk, logged_in(person_of("viewer")))
    assert len(seconds_of(next_frame(console, "history"))) == 1
    wait_until(lambda: listening() == 1)

    sample_sales(now=now + timedelta(seconds=1))

    figures = next_frame(console, "sample")["figures"]
    assert (figures["waiting"], figures["previous"]) == (5, int(now.timestamp()))


def test_a_reconnect_has_no_gap(sale, person_of, now, opened):
    session = logged_in(person_of("viewer"))
    sample_sales(now=now)
    first = opened(sale.pk, session)
    known = seconds_of(next_frame(first, "history"))
    first.close()
    for second in range(1, 6):
        sample_sales(now=now + timedelta(seconds=second))

    again = next_frame(opened(sale.pk, session, since=known[-1]), "history")

    assert known + seconds_of(again) == [int(now.timestamp()) + n for n in range(6)]


def test_however_many_are_open_one_subscription_and_one_message(sale, person_of, now, opened):
    session = logged_in(person_of("viewer"))
    consoles = [opened(sale.pk, session) for _ in range(5)]
    [next_frame(console, "history") for console in consoles]
    wait_until(lambda: listening() == 1)
    with redis.client().pubsub() as listener:
        listener.subscribe(keys.sample_channel(redis.database()))
        assert listener.get_message(timeout=60)["type"] == "subscribe"

        sample_sales(now=now)

        pushed = [next_frame(console, "sample")["figures"]["second"] for console in consoles]
        published = [listener.get_message(timeout=60)["type"], listener.get_message(timeout=0.2)]
        assert pushed == [int(now.timestamp())] * 5
        assert (listening(), published) == (2, ["message", None]), "theirs and this one"


def test_one_sale_gets_nothing_of_another(sale, person_of, operator, now, opened):
    other = SaleQueue.objects.create(event=make_event(now), opens_at=now)
    queues.move_queue(event_id=other.pk, to="open", by=operator, now=now)
    console = opened(other.pk, logged_in(person_of("viewer")))
    next_frame(console, "history")
    wait_until(lambda: listening() == 1)

    sample_sales(now=now)

    assert next_frame(console, "sample")["figures"]["waiting"] == 0


@pytest.mark.parametrize(
    ("role", "staff", "status"),
    [("", None, 401), ("viewer", False, 403), ("door", True, 403), ("nothing", True, 403)],
)
@pytest.mark.parametrize("every", [False, True])
def test_a_console_without_permission_is_refused(
    sale, person_of, opened, role, staff, status, every
):
    session = "" if staff is None else logged_in(person_of(role, is_staff=staff))
    console = opened(None if every else sale.pk, session)

    frame = next_frame(console, "error")

    assert frame["code"] == {401: "not_logged_in", 403: "not_allowed"}[status]
    with pytest.raises(ConnectionClosed) as end:
        console.recv(timeout=60)
    assert end.value.rcvd.code == 4000 + status


def test_an_event_without_a_queue_has_no_console(event, person_of, opened):
    console = opened(event.pk, logged_in(person_of("viewer")))

    assert next_frame(console, "error")["code"] == "not_found"


@pytest.mark.parametrize("every", [False, True])
def test_a_console_that_loses_its_permission_is_closed(sale, person_of, monkeypatch, opened, every):
    monkeypatch.setattr(live, "RECHECK_SECONDS", 0.1)
    viewer = person_of("viewer")
    console = opened(None if every else sale.pk, logged_in(viewer))
    next_frame(console, "sales" if every else "history")

    viewer.groups.remove(Group.objects.get(name="viewer"))

    assert next_frame(console, "error")["code"] == "not_allowed"


def test_the_overview_gets_every_sale(sale, person_of, operator, now, opened):
    other = SaleQueue.objects.create(event=make_event(now), opens_at=now)
    queues.move_queue(event_id=other.pk, to="open", by=operator, now=now)
    overview = opened(None, logged_in(person_of("viewer")))
    assert next_frame(overview, "sales")["sales"] == {str(sale.pk): None, str(other.pk): None}
    wait_until(lambda: listening() == 1)

    sample_sales(now=now)

    frames = [next_frame(overview, "sample") for _ in range(2)]
    waiting = {frame["event"]: frame["figures"]["waiting"] for frame in frames}
    assert waiting == {sale.pk: 5, other.pk: 0}


def test_overviews_and_consoles_share_one_subscription_and_one_text(sale, person_of, now, opened):
    session = logged_in(person_of("viewer"))
    sample_sales(now=now - timedelta(seconds=1))
    watching = [opened(None, session), opened(None, session), opened(sale.pk, session)]
    known = next_frame(watching[0], "sales")["sales"][str(sale.pk)]["second"]
    [next_frame(page, kind) for page, kind in zip(watching[1:], ("sales", "history"), strict=True)]
    wait_until(lambda: listening() == 1)

    sample_sales(now=now)

    texts = {page.recv(timeout=60) for page in watching}
    assert (len(texts), listening(), known) == (1, 1, int(now.timestamp()) - 1)


@pytest.mark.parametrize("role", ["operator", "manager", "finance"])
def test_the_other_roles_with_permission_may_watch(sale, person_of, opened, role):
    console = opened(sale.pk, logged_in(person_of(role)))

    assert next_frame(console, "history")["since"] == 0
