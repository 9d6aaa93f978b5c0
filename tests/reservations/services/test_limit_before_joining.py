"""Whoever has reached the limit per person is told before joining and takes no place inside."""

import pytest
from django.urls import reverse

from reservations import selectors, services
from tests.making import make_event, make_user, seat_ids
from tests.race import together
from tests.reservations.acting import hold
from waiting_queue import errors, store
from waiting_queue import services as queue
from waiting_queue.models import SaleQueue

ORIGIN = {"Origin": "http://testserver"}
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def event(transactional_db, now):
    """Two seats a person; everybody who joins is inside at once."""
    made = make_event(now, seats_per_person=2)
    rules = {"opens_at": now, "admit_per_second": 0, "stock_factor": 1_000}
    queue.create_queue(event_id=made.pk, by=None, now=now, **rules)
    queue.move_queue(event_id=made.pk, to=SaleQueue.State.OPEN, by=None, now=now)
    return made


def join(event, fan, now):
    return queue.join(event_id=event.pk, person=str(fan.pk), now=now)


def buy(event, fan, now, *seats):
    code = hold(event, fan, now, *seats).reservation.code
    services.extend_for_payment(code=code, fan_id=fan.pk, now=now)
    return services.confirm(code=code, now=now)


def state_of(event, fan, now):
    return store.run(store.peek(event.pk, str(fan.pk), now)).state


def test_after_buying_all_they_may_nobody_can_join_again(event, fan, now):
    join(event, fan, now)
    buy(event, fan, now, *seat_ids(event)[:2])

    with pytest.raises(errors.LimitReached):
        join(event, fan, now)

    assert state_of(event, fan, now) == "at_limit"


def test_control_who_may_have_more_can(event, fan, now):
    join(event, fan, now)
    buy(event, fan, now, seat_ids(event)[0])
    services.mark_people_at_limit()

    assert join(event, fan, now).state == "admitted"


def test_several_orders_count_together_within_seconds(event, fan, now):
    for seat in seat_ids(event)[:2]:
        join(event, fan, now)
        buy(event, fan, now, seat)

    services.mark_people_at_limit()

    with pytest.raises(errors.LimitReached):
        join(event, fan, now)


def test_after_a_refund_they_can_join(event, fan, now):
    join(event, fan, now)
    order = buy(event, fan, now, *seat_ids(event)[:2])
    services.refund(code=order.code, now=now)

    services.mark_people_at_limit()

    assert join(event, fan, now).state == "admitted"


@pytest.mark.parametrize("keeps", [True, False], ids=["it", "control"])
def test_a_purchase_while_people_are_counted_stays_marked(event, fan, now, monkeypatch, keeps):
    """The control looks at the marks after the count, and takes the new one away."""
    join(event, fan, now)
    count = selectors.people_at_limit

    def count_before_the_purchase(events):
        counted = count(events)
        buy(event, fan, now, *seat_ids(event)[:2])
        return counted

    def mark_late(*, event_ids, find_people):
        found = find_people()
        known = store.people_at_limit_of_each(event_ids)
        for event_id in event_ids:
            store.replace_at_limit(event_id, known[event_id], found[event_id])

    monkeypatch.setattr(selectors, "people_at_limit", count_before_the_purchase)
    if not keeps:
        monkeypatch.setattr(queue, "mark_at_limit", mark_late)

    services.mark_people_at_limit()

    assert (state_of(event, fan, now) == "at_limit") is keeps


def test_somebody_inside_who_holds_all_they_may_stays_inside(event, fan, now):
    join(event, fan, now)
    hold(event, fan, now, *seat_ids(event)[:2])

    services.mark_people_at_limit()

    assert state_of(event, fan, now) == "admitted"


def test_the_set_is_written_again_after_redis_was_lost(event, fan, now):
    join(event, fan, now)
    buy(event, fan, now, *seat_ids(event)[:2])
    store.erase(event.pk)
    queue.tick_open_queues(now=now)

    services.mark_people_at_limit()

    with pytest.raises(errors.LimitReached):
        join(event, fan, now)


def test_many_tries_at_once_take_no_place(event, fan, now):
    join(event, fan, now)
    buy(event, fan, now, *seat_ids(event)[:2])

    results = together(6, lambda _: join(event, fan, now))

    assert {type(result) for result in results} == {errors.LimitReached}
    assert queue_counts(event)["inside"] == "0"


def queue_counts(event):
    return store.run(store.snapshot(event.pk))


def test_the_waiting_page_says_so_without_a_button_to_join(event, client, now):
    fan = make_user()
    join(event, fan, now)
    buy(event, fan, now, *seat_ids(event)[:2])
    client.force_login(fan)

    page = client.get(reverse("queue:line", args=[event.pk]), headers={"Accept-Language": "en"})

    assert "The limit for this event is 2 seats per person" in page.content.decode()
    assert f'action="{reverse("queue:line", args=[event.pk])}"' not in page.content.decode()


def test_the_api_says_so(event, client, now):
    fan = make_user()
    join(event, fan, now)
    buy(event, fan, now, *seat_ids(event)[:2])
    client.force_login(fan)
    address = reverse("queue_api:queue", args=[event.pk])

    refused, shown = client.post(address, headers=ORIGIN), client.get(address)

    assert (refused.status_code, refused.json()["code"]) == (409, "limit_reached")
    assert (shown.json()["state"], shown.json()["status"]) == ("AT_LIMIT", "at_limit")
