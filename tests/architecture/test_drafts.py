"""An event that is not announced is not there: not found at every address that names an event."""

import re
from datetime import timedelta

import pytest
from asgiref.sync import sync_to_async
from django.test import Client

from tests.architecture.addresses import all_addresses
from tests.architecture.test_socket_permissions import code_of
from tests.making import make_event, make_user
from tests.waiting_queue.api.conftest import logged_in
from ticketing.events.models import Event
from waiting_queue import services as queues
from waiting_queue.errors import EventNotAnnounced
from waiting_queue.models import SaleQueue

# Of the staff; operators prepare drafts, and doors are chosen from announced events.
STAFF = ("/admin/", "/door/", "/api/v1/door/")
TELLS_NOTHING = ("ticketing:poster", "GET")  # drawn from the id alone
MOVED = 0  # to another page of the draft, which says the same to everybody
WITH_EVENT = re.compile(r"/events/987654/")


def make_draft(now):
    event = make_event(now, state=Event.State.DRAFT)
    SaleQueue.objects.create(event=event, opens_at=now + timedelta(hours=1))
    return event


@pytest.mark.django_db
@pytest.mark.parametrize("who", ["fan", "anonymous"])
def test_every_page_and_call_of_a_draft_is_not_found(who, fan, now):
    draft, client = make_draft(now), Client(headers={"origin": "http://testserver"})
    if who == "fan":
        client.force_login(fan)
    answers = {}
    for address in all_addresses():
        if not WITH_EVENT.search(address.url) or address.url.startswith(STAFF):
            continue
        path = address.url.replace("987654", str(draft.pk))
        for method in address.methods or ("GET", "POST"):
            answer = client.generic(method, path, "{}", content_type="application/json")
            to = answer.headers.get("Location", "")
            status = MOVED if f"/events/{draft.pk}/" in to else answer.status_code
            answers[address.name, method] = status, to

    asked_first = {
        what: status
        for what, (status, to) in answers.items()
        if who == "fan" or not (status == 401 or "log-in" in to)
    }
    told = {what: it for what, it in asked_first.items() if it not in (400, 404, 405, MOVED)}
    told.pop(TELLS_NOTHING)
    assert told == {}
    assert 404 in asked_first.values()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("socket", ["seats", "queue"])
async def test_the_sockets_of_a_draft_are_not_found(socket, now, loop_resources):
    draft = await sync_to_async(make_draft)(now)
    session = await sync_to_async(logged_in)(await sync_to_async(make_user)(password=None))

    assert await code_of(f"ws/events/{draft.pk}/{socket}/", session) == 4404


@pytest.mark.django_db
def test_the_line_of_a_draft_opens_neither_by_the_clock_nor_by_hand(now, operator):
    draft = make_draft(now)

    queues.tick_open_queues(now=now + timedelta(hours=2))

    assert SaleQueue.objects.get().state == "scheduled"
    with pytest.raises(EventNotAnnounced):
        queues.move_queue(event_id=draft.pk, to=SaleQueue.State.OPEN, by=operator, now=now)


@pytest.mark.django_db
def test_control_the_line_of_an_announced_event_opens(now):
    make_draft(now)
    Event.objects.update(state=Event.State.ANNOUNCED)

    queues.tick_open_queues(now=now + timedelta(hours=2))

    assert SaleQueue.objects.get().state == "open"


@pytest.mark.django_db
@pytest.mark.parametrize(("event_id", "status"), [("unknown", 404), ("draft", 404), ("open", 200)])
def test_leaving_a_sale_that_is_not_there_is_not_found(event_id, status, fan, now):
    """Without a queue in front of the sale there is nothing to leave, which is no failure."""
    known = {"unknown": 987_654, "draft": make_draft(now).pk, "open": make_event(now).pk}
    client = Client(headers={"origin": "http://testserver"})
    client.force_login(fan)

    answer = client.delete(f"/api/v1/events/{known[event_id]}/reservations/")

    assert answer.status_code == status
