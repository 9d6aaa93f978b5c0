"""One person in a line: found by address, moved out, blocked, let in again."""

import pytest
from django.urls import reverse

from tests.waiting_queue.outage import no_queue_redis
from ticketing.core import redis
from waiting_queue import errors, services, store
from waiting_queue.models import QueueChange

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def waiting(open_queue, fan, now):
    """A paused queue with our fan in it as number 2."""
    services.move_queue(event_id=open_queue.pk, to="paused", by=None, now=now)
    services.join(event_id=open_queue.pk, person="999999", now=now)
    services.join(event_id=open_queue.pk, person=str(fan.pk), now=now)
    return open_queue


def people_page(queue):
    return reverse("admin:queue_salequeue_people", args=[queue.pk])


def deed_page(queue, fan, deed):
    return reverse("admin:queue_salequeue_person", args=[queue.pk, fan.pk, deed])


def standing(queue, fan, now):
    return store.run(store.peek(queue.pk, str(fan.pk), now))


def test_somebody_is_found_by_address_however_it_is_spelled(desk, waiting, fan):
    page = desk.post(people_page(waiting), {"email": fan.email.upper()})

    found = page.context["found"]
    assert (found.user, found.standing.state, found.standing.number) == (fan, "waiting", 2)
    assert deed_page(waiting, fan, "kick") in page.content.decode()


def test_looking_is_no_sign_of_life(desk, waiting, fan):
    seen = redis.queue_client().zscore(f"queue:{{{waiting.pk}}}:seen", str(fan.pk))
    desk.post(people_page(waiting), {"email": fan.email})

    assert redis.queue_client().zscore(f"queue:{{{waiting.pk}}}:seen", str(fan.pk)) == seen


def test_an_unknown_address_is_said_to_be_so(desk, waiting):
    page = desk.post(people_page(waiting), {"email": "nobody@example.com"})

    assert page.status_code == 404
    assert b"Nobody here has this e-mail address" in page.content


def test_somebody_who_is_not_there_has_no_button_to_move_them_out(desk, open_queue, fan):
    html = desk.post(people_page(open_queue), {"email": fan.email}).content.decode()

    assert "not in the line" in html
    assert deed_page(open_queue, fan, "kick") not in html


def test_moving_out_asks_first_and_is_noted(desk, waiting, fan, operator, now):
    assert desk.get(deed_page(waiting, fan, "kick")).status_code == 200
    assert standing(waiting, fan, now).state == "waiting"

    desk.post(deed_page(waiting, fan, "kick"), {"confirmed": "1", "reason": "asked us to"})

    change = QueueChange.objects.get(what=f"person {fan.pk}")
    assert standing(waiting, fan, now).state == "left"
    assert (change.by, change.before, change.after) == (operator, "waiting", "left")
    assert services.join(event_id=waiting.pk, person=str(fan.pk), now=now).number == 3


def test_moving_out_somebody_who_is_not_there_is_refused_and_not_noted(desk, open_queue, fan):
    response = desk.post(deed_page(open_queue, fan, "kick"), {"confirmed": "1", "reason": ""})

    assert response.status_code == 409
    assert not QueueChange.objects.filter(what=f"person {fan.pk}").exists()


def test_a_block_needs_a_reason_and_the_person_reads_it(desk, waiting, fan, now):
    refused = desk.post(deed_page(waiting, fan, "block"), {"confirmed": "1", "reason": ""})
    desk.post(deed_page(waiting, fan, "block"), {"confirmed": "1", "reason": "sold tickets on"})

    assert refused.context["form"].errors
    with pytest.raises(errors.Blocked, match="sold tickets on"):
        services.join(event_id=waiting.pk, person=str(fan.pk), now=now)
    page = desk.post(people_page(waiting), {"email": fan.email})
    assert page.context["found"].blocked_why == "sold tickets on"


def test_somebody_unblocked_may_join_again(desk, waiting, fan, now):
    services.block(event_id=waiting.pk, person=str(fan.pk), by=None, why="a mistake", now=now)

    desk.post(deed_page(waiting, fan, "unblock"), {"confirmed": "1", "reason": "sorry"})

    assert services.join(event_id=waiting.pk, person=str(fan.pk), now=now).number == 3
    steps = QueueChange.objects.filter(what=f"person {fan.pk}").order_by("id")
    assert [step.after for step in steps] == ["blocked", "unblocked"]


def test_who_is_not_blocked_can_not_be_unblocked(desk, waiting, fan):
    response = desk.post(deed_page(waiting, fan, "unblock"), {"confirmed": "1", "reason": ""})

    assert response.status_code == 409
    assert not QueueChange.objects.filter(what=f"person {fan.pk}").exists()


def test_blocks_outlive_redis(waiting, fan, now):
    services.block(event_id=waiting.pk, person=str(fan.pk), by=None, why="a robot", now=now)
    services.block(event_id=waiting.pk, person="5", by=None, why="a mistake", now=now)
    services.unblock(event_id=waiting.pk, person="5", by=None, now=now)
    services.drain_journals()
    redis.queue_client().flushdb()

    services.rebuild_queue(event_id=waiting.pk, now=now)

    with pytest.raises(errors.Blocked, match="a robot"):
        services.join(event_id=waiting.pk, person=str(fan.pk), now=now)
    assert services.join(event_id=waiting.pk, person="5", now=now).state == "waiting"


def test_without_redis_nothing_is_done_and_nothing_noted(desk, waiting, fan, now):
    with no_queue_redis():
        response = desk.post(deed_page(waiting, fan, "block"), {"confirmed": "1", "reason": "x"})

    assert response.status_code == 503
    assert not QueueChange.objects.filter(what=f"person {fan.pk}").exists()
    assert standing(waiting, fan, now).state == "waiting"


def test_an_unknown_deed_or_person_is_not_found(desk, waiting, fan):
    assert desk.post(deed_page(waiting, fan, "hug"), {"reason": "x"}).status_code == 404
    missing = reverse("admin:queue_salequeue_person", args=[waiting.pk, 0, "kick"])
    assert desk.post(missing, {"reason": "x"}).status_code == 404
