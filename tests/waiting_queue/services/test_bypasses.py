"""The bypass list: whom operators let in without waiting, and why."""

import pytest

from tests.making import make_user
from tests.race import together, winners
from tests.waiting_queue.services.steps import join_all, seconds
from ticketing.core import redis
from ticketing.core.errors import InvalidInput
from waiting_queue import errors, services, store
from waiting_queue.models import QueueBypass, QueueChange, QueueJournal

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def guest():
    return make_user()


@pytest.fixture
def let_in(open_queue, operator, guest, now):
    def let_in(why: str = "press", **more) -> QueueBypass:
        common = {"event_id": open_queue.pk, "person": str(guest.pk), "by": operator, "now": now}
        return services.add_bypass(**common | {"why": why} | more)

    return let_in


@pytest.fixture
def crowded(open_queue, operator, now):
    """One place inside, taken, and others in line."""
    services.set_knobs(event_id=open_queue.pk, knobs={"max_inside": 1}, by=operator, now=now)
    services.tick_open_queues(now=now)
    join_all(open_queue, ["901", "902", "903"], now + seconds(1))
    return open_queue


def join(queue, guest, now):
    return services.join(event_id=queue.pk, person=str(guest.pk), now=now)


def test_they_enter_at_once_with_an_audit_row(crowded, let_in, guest, operator, now):
    let_in()

    assert join(crowded, guest, now).state == "admitted"

    change = QueueChange.objects.latest("id")
    assert (change.what, change.after, change.why) == (f"person {guest.pk}", "bypass", "press")
    services.drain_journals()
    kinds = QueueJournal.objects.filter(person=guest.pk).order_by("id")
    assert list(kinds.values_list("kind", flat=True)) == ["join", "bypass", "admit"]


def test_it_needs_a_reason_and_is_there_once(let_in):
    with pytest.raises(InvalidInput):
        let_in(why=" ")
    results = together(6, lambda _: let_in())

    assert len(winners(results)) == 1
    assert {type(r) for r in results if isinstance(r, Exception)} == {errors.BypassesAlready}
    assert QueueBypass.objects.count() == 1


def test_whoever_waits_already_is_called_with_the_next_tick(crowded, let_in, guest, now):
    assert join(crowded, guest, now).state == "waiting"
    let_in()

    services.tick_open_queues(now=now + seconds(2))

    found = store.run(store.peek(crowded.pk, str(guest.pk), now + seconds(2)))
    assert found.state == "ready"


def test_the_end_of_it(crowded, let_in, guest, operator, now):
    let_in()
    whom = {"event_id": crowded.pk, "person": str(guest.pk), "by": operator, "now": now}
    services.end_bypass(**whom)

    assert join(crowded, guest, now).state == "waiting"
    with pytest.raises(errors.NoBypass):
        services.end_bypass(**whom)
    assert QueueBypass.objects.get().ended_at == now
    let_in()  # and again


def test_a_list_from_before_the_line_holds_when_it_starts(queue, operator, guest, now):
    whom = {"event_id": queue.pk, "person": str(guest.pk), "now": now}
    services.add_bypass(**whom, by=operator, why="press")
    services.move_queue(event_id=queue.pk, to="open", by=operator, now=now)

    assert store.bypassing(queue.pk) == {str(guest.pk)}


def test_what_redis_did_not_hear_of_is_made_true(crowded, let_in, guest):
    let_in()
    store.run(store.set_bypass(crowded.pk, ["5"]))

    assert services.reconcile_bypasses() == 1

    assert store.bypassing(crowded.pk) == {str(guest.pk)}
    assert services.reconcile_bypasses() == 0


def test_a_rebuilt_line_has_the_list(crowded, let_in, guest, now):
    let_in()
    services.drain_journals()
    redis.queue_client().flushdb()

    services.tick_open_queues(now=now + seconds(2))

    assert store.bypassing(crowded.pk) == {str(guest.pk)}
    assert join(crowded, guest, now + seconds(2)).state == "admitted"
