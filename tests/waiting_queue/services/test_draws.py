"""The lobby is drawn at the opening, and everybody in it gets a number."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count
from threading import Event

import pytest
from django.db import IntegrityError, connection, transaction

from tests.waiting import PATIENCE
from tests.waiting_queue.services.steps import join_all, seconds
from ticketing.core import redis
from waiting_queue import selectors, services, store
from waiting_queue.locks import queue_for_update
from waiting_queue.models import DrawSecrets, QueueDraw, SaleQueue
from waiting_queue.services import draws

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

    assert all(check.passed for check in selectors.draw_checks(public))
    assert selectors.text_hash(public["secret"]) == drawn.secret_sha256
    assert selectors.lobby_hash(reversed(public["entries"])) == public["lobby_sha256"]
    assert public["seed"] == selectors.derived_seed(public["secret"], public["lobby_sha256"], "")
    assert selectors.drawn_order(public["seed"], sorted(public["entries"])) == public["entries"]


def test_the_seed_is_secret_until_the_draw_is_over(queue):
    public, secrets = selectors.published_draw(queue), queue.open_draw_secrets()

    assert public["seed"] is public["secret"] is None
    assert secrets.secret not in str(public)
    assert secrets.salt not in str(public)


def test_the_salt_stays_secret_after_the_draw(drawn):
    assert drawn.open_draw_secrets().salt not in str(selectors.published_draw(drawn))


def test_nobody_knows_the_order_before_the_lobby_is_fixed(queue, operator, now):
    """With one person more, the same secret draws the others in another order."""
    services.move_queue(event_id=queue.pk, to=State.LOBBY, by=operator, now=now)
    join_all(queue, [str(number) for number in range(20)], now)
    foreseen = order_without(queue, list(range(19)))
    services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=now)
    services.tick_open_queues(now=now)

    drawn = [person for person in QueueDraw.objects.get().people if person != "19"]
    assert sorted(drawn) == sorted(foreseen)
    assert drawn != foreseen


def order_without(queue, people):
    """What somebody who knows secret and salt would expect of a lobby of these people."""
    secrets = queue.open_draw_secrets()
    entries = {selectors.entry_of(secrets.salt, str(person)): str(person) for person in people}
    seed = selectors.derived_seed(secrets.secret, selectors.lobby_hash(entries), "")
    return [entries[entry] for entry in selectors.drawn_order(seed, entries)]


def test_that_expectation_is_the_rule(drawn):
    """The control: with the whole lobby it is the order that was drawn."""
    assert order_without(drawn, list(range(10))) == QueueDraw.objects.get().people


def test_an_interrupted_draw_is_finished_in_the_same_order(drawn, now):
    """As after a crash: the order is saved, some people have numbers, the draw is not finished."""
    order = QueueDraw.objects.get().people
    QueueDraw.objects.update(finished_at=None)

    services.draw_lobby(event_id=drawn.pk, now=now)

    numbers = [store.run(store.peek(drawn.pk, person, now)).number for person in order]
    assert numbers == list(range(1, 11))


@pytest.mark.parametrize("step", ["_save_order", "_give_numbers"])
def test_whoever_leaves_during_an_interrupted_draw_changes_no_seed(
    queue, operator, now, step, monkeypatch
):
    services.move_queue(event_id=queue.pk, to=State.LOBBY, by=operator, now=now)
    join_all(queue, [str(number) for number in range(10)], now)
    foreseen = order_without(queue, list(range(10)))
    services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=now)
    interrupt(monkeypatch, step)
    services.tick_open_queues(now=now)
    assert QueueDraw.objects.get().finished_at is None
    services.leave(event_id=queue.pk, person="3", now=now)
    monkeypatch.undo()
    services.tick_open_queues(now=now)

    draw = QueueDraw.objects.get()
    assert draw.finished_at
    assert draw.people == foreseen
    assert all(
        check.passed for check in selectors.draw_checks(selectors.published_draw(draw.queue))
    )


@pytest.mark.parametrize("step", ["_fix_lobby", "_save_order", "_finish"])
def test_a_draw_goes_on_after_somebody_else_had_the_queue(queue, operator, now, step, monkeypatch):
    """As when groups are moved meanwhile: nobody is called before the whole lobby has numbers."""
    services.move_queue(event_id=queue.pk, to=State.LOBBY, by=operator, now=now)
    join_all(queue, [str(number) for number in range(10)], now)
    services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=now)
    services.join(event_id=queue.pk, person="99", now=now)
    monkeypatch.setattr(draws, step, while_locked(queue, getattr(draws, step)))
    services.tick_open_queues(now=now)
    assert QueueDraw.objects.get().finished_at is None
    monkeypatch.undo()

    ticks = [services.tick_open_queues(now=now + seconds(second)) for second in (1, 2)]

    order = QueueDraw.objects.get().people
    assert [tick[queue.pk].called for tick in ticks] == [[], order[:10]]
    assert store.run(store.peek(queue.pk, "99", now)).state == "waiting"


def while_locked(queue, step):
    """The step, while another connection has the row of the queue."""

    def run(*args):
        locked, done = Event(), Event()
        with ThreadPoolExecutor(1) as threads:
            other = threads.submit(keep_locked, queue.pk, locked, done)
            assert locked.wait(PATIENCE)
            try:
                return step(*args)
            finally:
                done.set()
                other.result(PATIENCE)

    return run


def keep_locked(event_id, locked, done):
    try:
        with transaction.atomic():
            queue_for_update(event_id)
            locked.set()
            assert done.wait(PATIENCE)
    finally:
        connection.close()


@pytest.fixture
def opened(queue, operator, now, monkeypatch) -> SaleQueue:
    """Ten people of a lobby are about to be drawn, in four parts."""
    monkeypatch.setattr(draws, "BATCH", 3)
    services.move_queue(event_id=queue.pk, to=State.LOBBY, by=operator, now=now)
    join_all(queue, [str(number) for number in range(10)], now)
    services.drain_journals()
    services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=now)
    return SaleQueue.objects.get(pk=queue.pk)


def before_part(monkeypatch, part, act):
    """Let something happen before the worker gives this part of the numbers."""
    parts, draw = count(1), store.draw

    def interrupted(*args, **options):
        if next(parts) == part:
            act()
        return draw(*args, **options)

    monkeypatch.setattr(store, "draw", interrupted)


def numbers_in_order(queue, now):
    order = QueueDraw.objects.get().people
    return [store.run(store.peek(queue.pk, person, now)).number for person in order]


def in_another_connection(act):
    """Run it in a thread, where no lock is waited for for long."""

    def run():
        try:
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '5s'")
            return act()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as threads:
        return threads.submit(run).result(PATIENCE)


def test_operators_change_a_queue_while_its_lobby_gets_numbers(opened, operator, now, monkeypatch):
    change = partial(services.set_knobs, event_id=opened.pk, by=operator, now=now)
    act = partial(change, knobs={"admit_per_second": 7})
    before_part(monkeypatch, 2, lambda: in_another_connection(act))

    services.draw_lobby(event_id=opened.pk, now=now)

    assert SaleQueue.objects.get().admit_per_second == 7
    assert QueueDraw.objects.get().finished_at
    assert numbers_in_order(opened, now) == list(range(1, 11))


def test_of_several_workers_one_gives_the_numbers(opened, now, monkeypatch):
    """A draw keeps one thread, however often it is due meanwhile."""
    others, draw = [], partial(services.draw_lobby, event_id=opened.pk, now=now)
    before_part(monkeypatch, 2, lambda: others.append(in_another_connection(draw)))

    assert draw() == 10
    assert others == [0]
    assert numbers_in_order(opened, now) == list(range(1, 11))


@pytest.mark.parametrize("part", [2, 4])
def test_a_line_that_is_rebuilt_while_it_is_drawn_is_drawn_again(opened, now, part, monkeypatch):
    """The numbers of the first part were lost, so those of the others are not enough."""
    with ThreadPoolExecutor(1) as threads:

        def lose() -> None:
            redis.queue_client().flushdb()
            rebuild = partial(services.rebuild_queue, event_id=opened.pk, now=now)
            others.append(threads.submit(in_another_connection, rebuild))

        others = []
        before_part(monkeypatch, part, lose)
        services.draw_lobby(event_id=opened.pk, now=now)
        assert others[0].result(PATIENCE) == 10
    assert QueueDraw.objects.get().finished_at is None
    monkeypatch.undo()

    services.draw_lobby(event_id=opened.pk, now=now)

    assert QueueDraw.objects.get().finished_at
    assert numbers_in_order(opened, now) == list(range(1, 11))


def test_a_line_that_is_rebuilt_before_its_draw_is_finished_is_drawn_again(
    opened, now, monkeypatch
):
    def lose_and_rebuild(**_: object) -> None:
        redis.queue_client().flushdb()
        services.rebuild_queue(event_id=opened.pk, now=now)

    monkeypatch.setattr(draws, "move_groups_of_draw", lose_and_rebuild)
    services.draw_lobby(event_id=opened.pk, now=now)
    assert QueueDraw.objects.get().finished_at is None
    monkeypatch.undo()

    services.draw_lobby(event_id=opened.pk, now=now)

    assert QueueDraw.objects.get().finished_at
    assert numbers_in_order(opened, now) == list(range(1, 11))


def test_control_before_the_lobby_is_fixed_it_does(queue, operator, now, monkeypatch):
    services.move_queue(event_id=queue.pk, to=State.LOBBY, by=operator, now=now)
    join_all(queue, [str(number) for number in range(10)], now)
    foreseen = order_without(queue, list(range(10)))
    services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=now)
    services.leave(event_id=queue.pk, person="3", now=now)
    services.tick_open_queues(now=now)

    assert QueueDraw.objects.get().people != [person for person in foreseen if person != "3"]


def interrupt(monkeypatch, step):
    def fail(*_args):
        raise RuntimeError("power cut")

    monkeypatch.setattr(draws, step, fail)


def test_a_secret_that_no_key_opens_delays_the_draw_until_the_key_is_back(
    queue, operator, now, settings
):
    services.move_queue(event_id=queue.pk, to=State.LOBBY, by=operator, now=now)
    join_all(queue, ["1", "2"], now)
    key, settings.SECRET_KEY = settings.SECRET_KEY, "another"
    services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=now)
    services.tick_open_queues(now=now)
    assert QueueDraw.objects.get().people is None

    settings.SECRET_KEY = key
    services.tick_open_queues(now=now)

    assert sorted(QueueDraw.objects.get().people) == ["1", "2"]


def test_a_queue_of_a_process_of_the_previous_release_is_drawn_with_its_secret(
    queue, operator, now
):
    SaleQueue.objects.update(draw_secrets="", seed="a" * 64, salt="b" * 64)
    services.move_queue(event_id=queue.pk, to=State.LOBBY, by=operator, now=now)
    join_all(queue, ["1", "2"], now)
    services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=now)
    services.tick_open_queues(now=now)

    after = SaleQueue.objects.get()
    assert (after.seed, after.salt) == ("", "")
    assert after.open_draw_secrets() == DrawSecrets("a" * 64, "b" * 64)
    assert selectors.published_draw(after)["secret"] == "a" * 64


def test_such_a_process_can_draw_nothing_without_a_seed(queue, now):
    with pytest.raises(IntegrityError, match="nothing_is_drawn_without_a_seed"):
        QueueDraw.objects.create(queue=queue, at=now, seed="", people=["1"])


def test_numbers_that_were_given_and_lost_are_given_again(queue, operator, now):
    """Redis is lost after the draw is finished and before its numbers are journalled."""
    people = [str(number) for number in range(10)]
    services.move_queue(event_id=queue.pk, to=State.LOBBY, by=operator, now=now)
    join_all(queue, people, now)
    services.drain_journals()
    services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=now)
    SaleQueue.objects.update(state=State.PAUSED)  # so that nobody is called
    services.tick_open_queues(now=now)
    assert QueueDraw.objects.get().finished_at
    redis.queue_client().flushdb()

    services.tick_open_queues(now=now + seconds(1))
    services.tick_open_queues(now=now + seconds(2))

    order = QueueDraw.objects.get().people
    numbers = [store.run(store.peek(queue.pk, person, now)).number for person in order]
    assert numbers == list(range(1, 11))


def test_without_shuffling_the_lobby_keeps_its_order(queue, operator, now):
    SaleQueue.objects.update(mode="first_come")
    services.move_queue(event_id=queue.pk, to=State.LOBBY, by=operator, now=now)
    for number in range(5):
        services.join(event_id=queue.pk, person=str(number), now=now + seconds(number))
    services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=now)
    services.tick_open_queues(now=now)

    assert QueueDraw.objects.get().people == ["0", "1", "2", "3", "4"]
