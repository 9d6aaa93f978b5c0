"""The lobby is drawn at the opening, and everybody in it gets a number."""

import pytest

from tests.waiting_queue.services.steps import join_all, seconds
from waiting_queue import selectors, services, store
from waiting_queue.models import QueueDraw, SaleQueue

pytestmark = pytest.mark.django_db(transaction=True)
State = SaleQueue.State


@pytest.fixture
def drawn(queue, operator, now) -> SaleQueue:
    """Ten people gathered in the lobby, then the queue opened."""
    services.move_queue(event_id=queue.pk, to=State.LOBBY, by=operator, now=now)
    join_all(queue, [str(number) for number in range(10)], now)
    services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=now)
    late = services.join(event_id=queue.pk, person="99", now=now)
    assert (late.number, late.ahead) == (11, 10), (
        "the lobby comes first, though it is not drawn yet"
    )
    services.tick_open_queues(now=now)
    return SaleQueue.objects.get(pk=queue.pk)


def test_everybody_in_the_lobby_gets_a_number_and_the_latecomer_is_behind(drawn, now):
    numbers = {store.run(store.peek(drawn.pk, str(person), now)).number for person in range(10)}

    assert numbers == set(range(1, 11))
    assert store.run(store.peek(drawn.pk, "99", now)).ahead == 10


def test_anyone_can_verify_the_draw(drawn):
    public = selectors.published_draw(drawn)

    assert selectors.seed_hash(public["seed"]) == public["seed_sha256"]
    assert selectors.drawn_order(public["seed"], sorted(public["entries"])) == public["entries"]


def test_the_seed_is_secret_until_the_draw_is_over(queue):
    public = selectors.published_draw(queue)

    assert public["seed"] is None
    assert queue.seed not in str(public)


def test_an_interrupted_draw_is_finished_in_the_same_order(drawn, now):
    """As after a crash: the order is saved, some people have numbers, the draw is not finished."""
    order = QueueDraw.objects.get().people
    QueueDraw.objects.update(finished_at=None)

    services.draw_lobby(event_id=drawn.pk, now=now)

    numbers = [store.run(store.peek(drawn.pk, person, now)).number for person in order]
    assert numbers == list(range(1, 11))


def test_without_shuffling_the_lobby_keeps_its_order(queue, operator, now):
    SaleQueue.objects.update(shuffle_lobby=False)
    services.move_queue(event_id=queue.pk, to=State.LOBBY, by=operator, now=now)
    for number in range(5):
        services.join(event_id=queue.pk, person=str(number), now=now + seconds(number))
    services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=now)
    services.tick_open_queues(now=now)

    assert QueueDraw.objects.get().people == ["0", "1", "2", "3", "4"]
