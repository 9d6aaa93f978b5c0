"""One person in a line: found by address, moved out, blocked, unblocked."""

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


def action_page(queue, fan, action):
    return reverse("admin:queue_salequeue_person", args=[queue.pk, fan.pk, action])


def standing(queue, fan, now):
    return store.run(store.peek(queue.pk, str(fan.pk), now))


def test_somebody_is_found_by_address_however_it_is_spelled(operator_client, waiting, fan):
    page = operator_client.post(people_page(waiting), {"email": fan.email.upper()})

    found = page.context["person"]
    assert (found.user, found.standing.state, found.standing.number) == (fan, "waiting", 2)
    assert action_page(waiting, fan, "kick") in page.content.decode()


def test_a_lookup_is_no_sign_of_life(operator_client, waiting, fan):
    seen = redis.queue_client().zscore(f"queue:{{{waiting.pk}}}:seen", str(fan.pk))
    operator_client.post(people_page(waiting), {"email": fan.email})

    assert redis.queue_client().zscore(f"queue:{{{waiting.pk}}}:seen", str(fan.pk)) == seen


def test_an_unknown_address_is_reported(operator_client, waiting):
    page = operator_client.post(people_page(waiting), {"email": "nobody@example.com"})

    assert page.status_code == 404
    assert b"Nobody here has this e-mail address" in page.content


def test_somebody_who_is_not_there_has_no_button_to_move_them_out(operator_client, open_queue, fan):
    html = operator_client.post(people_page(open_queue), {"email": fan.email}).content.decode()

    assert "not in the line" in html
    assert action_page(open_queue, fan, "kick") not in html


def test_moving_out_asks_first_and_is_recorded(operator_client, waiting, fan, operator, now):
    assert operator_client.get(action_page(waiting, fan, "kick")).status_code == 200
    assert standing(waiting, fan, now).state == "waiting"

    operator_client.post(
        action_page(waiting, fan, "kick"), {"confirmed": "1", "reason": "asked us to"}
    )

    change = QueueChange.objects.get(what=f"person {fan.pk}")
    assert standing(waiting, fan, now).state == "left"
    assert (change.by, change.before, change.after) == (operator, "waiting", "left")
    assert services.join(event_id=waiting.pk, person=str(fan.pk), now=now).number == 3


def test_moving_out_somebody_who_is_not_there_is_refused_and_not_recorded(
    operator_client, open_queue, fan
):
    response = operator_client.post(
        action_page(open_queue, fan, "kick"), {"confirmed": "1", "reason": ""}
    )

    assert response.status_code == 409
    assert not QueueChange.objects.filter(what=f"person {fan.pk}").exists()


def test_a_block_needs_a_reason_and_the_person_reads_it(operator_client, waiting, fan, now):
    refused = operator_client.post(
        action_page(waiting, fan, "block"), {"confirmed": "1", "reason": ""}
    )
    operator_client.post(
        action_page(waiting, fan, "block"), {"confirmed": "1", "reason": "sold tickets on"}
    )

    assert refused.context["form"].errors
    with pytest.raises(errors.Blocked, match="sold tickets on"):
        services.join(event_id=waiting.pk, person=str(fan.pk), now=now)
    page = operator_client.post(people_page(waiting), {"email": fan.email})
    assert page.context["person"].blocked_why == "sold tickets on"


def test_somebody_unblocked_may_join_again(operator_client, waiting, fan, now):
    services.block(event_id=waiting.pk, person=str(fan.pk), by=None, why="a mistake", now=now)

    operator_client.post(
        action_page(waiting, fan, "unblock"), {"confirmed": "1", "reason": "sorry"}
    )

    assert services.join(event_id=waiting.pk, person=str(fan.pk), now=now).number == 3
    steps = QueueChange.objects.filter(what=f"person {fan.pk}").order_by("id")
    assert [step.after for step in steps] == ["blocked", "unblocked"]


def test_somebody_who_is_not_blocked_can_not_be_unblocked(operator_client, waiting, fan):
    response = operator_client.post(
        action_page(waiting, fan, "unblock"), {"confirmed": "1", "reason": ""}
    )

    assert response.status_code == 409
    assert not QueueChange.objects.filter(what=f"person {fan.pk}").exists()


def test_blocks_survive_the_loss_of_redis(waiting, fan, now):
    services.block(event_id=waiting.pk, person=str(fan.pk), by=None, why="a robot", now=now)
    services.block(event_id=waiting.pk, person="5", by=None, why="a mistake", now=now)
    services.unblock(event_id=waiting.pk, person="5", by=None, now=now)
    services.drain_journals()
    redis.queue_client().flushdb()

    services.rebuild_queue(event_id=waiting.pk, now=now)

    with pytest.raises(errors.Blocked, match="a robot"):
        services.join(event_id=waiting.pk, person=str(fan.pk), now=now)
    assert services.join(event_id=waiting.pk, person="5", now=now).state == "waiting"


def test_without_redis_nothing_is_done_and_nothing_recorded(operator_client, waiting, fan, now):
    with no_queue_redis():
        response = operator_client.post(
            action_page(waiting, fan, "block"), {"confirmed": "1", "reason": "x"}
        )

    assert response.status_code == 503
    assert not QueueChange.objects.filter(what=f"person {fan.pk}").exists()
    assert standing(waiting, fan, now).state == "waiting"


def test_an_unknown_action_or_person_is_not_found(operator_client, waiting, fan):
    assert (
        operator_client.post(action_page(waiting, fan, "hug"), {"reason": "x"}).status_code == 404
    )
    missing = reverse("admin:queue_salequeue_person", args=[waiting.pk, 0, "kick"])
    assert operator_client.post(missing, {"reason": "x"}).status_code == 404
