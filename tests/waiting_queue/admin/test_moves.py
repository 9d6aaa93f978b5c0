"""Buttons of a queue: each asks first, checks the permission, and writes an audit row."""

import pytest
from django.urls import reverse

from tests.making import make_event
from tests.waiting_queue.outage import no_queue_redis
from waiting_queue import services, store
from waiting_queue.models import QueueChange, SaleQueue

pytestmark = pytest.mark.django_db(transaction=True)
State = SaleQueue.State


def page_of(queue):
    return reverse("admin:queue_salequeue_change", args=[queue.pk])


def url(queue, to):
    return reverse("admin:queue_salequeue_move", args=[queue.pk, to])


def state_of(queue):
    return SaleQueue.objects.get(pk=queue.pk).state


@pytest.mark.parametrize("state", ["scheduled", "lobby", "open", "paused", "draining", "closed"])
def test_exactly_the_allowed_moves_have_a_button(state, operator_client, queue):
    SaleQueue.objects.update(state=state)

    html = operator_client.get(page_of(queue)).content.decode()

    shown = {to for to in State if url(queue, to) in html}
    assert shown == SaleQueue.MOVES[State(state)] - {State.SCHEDULED}  # it has begun


def test_a_move_asks_first_and_then_happens(operator_client, queue, operator):
    asked = operator_client.get(url(queue, "open"))
    assert state_of(queue) == "scheduled"

    answer = operator_client.post(url(queue, "open"), {"confirmed": "1", "reason": "it is eight"})

    change = QueueChange.objects.get(queue=queue)
    assert b"A lobby is drawn first" in asked.content
    assert answer.url == page_of(queue)
    assert (change.by, change.before, change.after) == (operator, "scheduled", "open")
    assert change.why == "it is eight"
    assert store.run(store.snapshot(queue.pk))["state"] == "open"


def test_closing_needs_a_reason_and_shows_how_many_lose_their_place(
    operator_client, open_queue, now
):
    services.join(event_id=open_queue.pk, person="1", now=now)

    asked = operator_client.get(url(open_queue, "closed"))
    refused = operator_client.post(url(open_queue, "closed"), {"confirmed": "1", "reason": ""})

    assert asked.context["overview"].waiting + asked.context["overview"].inside == 1
    assert refused.context["form"].errors
    assert state_of(open_queue) == "open"


@pytest.mark.parametrize("method", ["get", "post"])
def test_an_illegal_move_is_refused(method, operator_client, queue):
    response = getattr(operator_client, method)(
        url(queue, "paused"), {"confirmed": "1", "reason": "x"}
    )

    assert response.status_code == 409
    assert state_of(queue) == "scheduled"


def test_a_queue_without_seats_is_not_opened(operator_client, now):
    queue = SaleQueue.objects.create(event=make_event(now, seats=False), opens_at=now)

    response = operator_client.post(url(queue, "open"), {"confirmed": "1", "reason": ""})

    assert response.status_code == 409
    assert b"no seats yet" in response.content
    assert state_of(queue) == "scheduled"


def test_an_unknown_state_or_queue_is_not_found(operator_client, queue):
    assert operator_client.post(url(queue, "flying"), {"reason": "x"}).status_code == 404
    missing = reverse("admin:queue_salequeue_move", args=[0, "open"])
    assert operator_client.get(missing).status_code == 404


def test_a_move_is_saved_while_redis_is_down_and_the_next_tick_applies_it(
    operator_client, queue, now
):
    with no_queue_redis():
        answer = operator_client.post(
            url(queue, "open"), {"confirmed": "1", "reason": ""}, follow=True
        )

    assert answer.status_code == 200
    assert b"Changes are saved and work as soon as it answers" in answer.content
    assert state_of(queue) == "open"

    services.tick_open_queues(now=now)
    assert services.join(event_id=queue.pk, person="1", now=now).ahead == 0


PAGES = [
    ("salequeue_move", ["open"]),
    ("salequeue_rebuild", []),
    ("salequeue_people", []),
    ("salequeue_person", [1, "kick"]),
    ("salequeue_person", [1, "block"]),
    ("salequeue_person", [1, "unblock"]),
]


@pytest.mark.parametrize(("name", "more"), PAGES)
def test_staff_without_permission_do_nothing(name, more, viewer_client, queue):
    address = reverse(f"admin:queue_{name}", args=[queue.pk, *more])

    for method in (viewer_client.get, viewer_client.post):
        assert method(address, {"reason": "because", "email": "a@b.co"}).status_code == 403
    assert state_of(queue) == "scheduled"
    assert not QueueChange.objects.exists()


@pytest.mark.parametrize(("name", "more"), PAGES)
def test_a_fan_is_sent_to_the_log_in(name, more, client, fan, queue):
    client.force_login(fan, backend="django.contrib.auth.backends.ModelBackend")

    address = reverse(f"admin:queue_{name}", args=[queue.pk, *more])

    assert client.post(address, {"reason": "because"}).status_code == 302
    assert not QueueChange.objects.exists()


def test_a_viewer_sees_the_line_but_no_buttons(viewer_client, open_queue):
    html = viewer_client.get(page_of(open_queue)).content.decode()

    assert "Waiting" in html
    assert url(open_queue, "paused") not in html
    assert 'name="max_inside"' not in html


def test_rebuilding_asks_first_and_restores_everybody(operator_client, open_queue, now):
    services.move_queue(event_id=open_queue.pk, to=State.PAUSED, by=None, now=now)
    services.join(event_id=open_queue.pk, person="7", now=now)
    address = reverse("admin:queue_salequeue_rebuild", args=[open_queue.pk])
    assert operator_client.get(address).status_code == 200
    assert operator_client.post(address, {"confirmed": "1", "reason": ""}).context["form"].errors

    operator_client.post(address, {"confirmed": "1", "reason": "counts look odd"})

    assert store.run(store.peek(open_queue.pk, "7", now)).number == 1
    assert QueueChange.objects.get(what="rebuilt").after == "1"


def test_a_queue_that_has_not_started_is_not_rebuilt(operator_client, queue):
    address = reverse("admin:queue_salequeue_rebuild", args=[queue.pk])

    response = operator_client.post(address, {"confirmed": "1", "reason": "why not"})

    assert response.status_code == 409
    assert SaleQueue.objects.get().epoch == ""
