"""Redis loses what was not journalled: no number is given twice, and tokens keep their places."""

from collections import Counter
from datetime import datetime, timedelta
from shutil import copytree
from threading import Barrier, Thread
from threading import Event as Signal

import pytest
from django.db import connection, transaction

from tests.race import together, wait_unless_blocking
from ticketing.core import redis
from waiting_queue import keys, services, store
from waiting_queue.locks import queue_for_update
from waiting_queue.models import QueueChange, QueueJournal, SaleQueue
from waiting_queue.services import lost_places, rebuilds
from waiting_queue.store import scripts
from waiting_queue.tokens import QueueToken, read_token

pytestmark = pytest.mark.django_db(transaction=True)
State = SaleQueue.State
JOURNALLED, LOST, MANY = 20, 8, 8


def seconds(number: float) -> timedelta:
    return timedelta(seconds=number)


def join(queue: SaleQueue, person: int, now: datetime) -> QueueToken:
    standing = services.join(event_id=queue.pk, person=str(person), now=now)
    return read_token(services.token_of(queue.pk, str(person), standing))


def ask(token: QueueToken, now: datetime) -> store.Standing:
    return services.standing(event_id=token.event_id, person=token.person, now=now, token=token)


def numbers_in_line(queue: SaleQueue) -> dict[str, int]:
    line = redis.queue_client().zrange(keys.key(queue.pk, "line"), 0, -1, withscores=True)
    return {person: int(number) for person, number in line}


@pytest.fixture
def paused(queue, operator, now) -> SaleQueue:
    for state in (State.OPEN, State.PAUSED):
        queue = services.move_queue(event_id=queue.pk, to=state, by=operator, now=now)
    return queue


@pytest.fixture
def lost(paused, now) -> list[QueueToken]:
    """Tokens of people who joined after the last copy of the journal; then Redis was emptied."""
    for person in range(1, JOURNALLED + 1):
        join(paused, person, now)
    services.drain_journals()
    tokens = [join(paused, 100 + number, now) for number in range(LOST)]
    redis.queue_client().flushdb()
    services.tick_open_queues(now=now + seconds(1))
    return tokens


def test_the_holder_of_a_lost_number_gets_it_back_in_order(paused, lost, now):
    later = join(paused, 999, now + seconds(2))

    found = [ask(token, now + seconds(3)) for token in reversed(lost)]

    assert [one.number for one in found] == [token.number for token in reversed(lost)]
    assert [ask(token, now + seconds(4)).ahead for token in lost] == list(
        range(JOURNALLED, JOURNALLED + LOST)
    )
    assert ask(later, now + seconds(4)).ahead == JOURNALLED + LOST


def test_a_restored_place_is_journalled(paused, lost, now):
    ask(lost[0], now + seconds(2))
    services.drain_journals()
    redis.queue_client().flushdb()
    services.tick_open_queues(now=now + seconds(3))

    assert numbers_in_line(paused)[lost[0].person] == lost[0].number


def test_somebody_whom_the_journal_knows_to_have_left_stays_out(paused, now):
    token = join(paused, 1, now)
    services.leave(event_id=paused.pk, person="1", now=now)
    services.drain_journals()
    redis.queue_client().flushdb()
    services.tick_open_queues(now=now + seconds(1))

    assert ask(token, now + seconds(2)).state == "left"
    assert numbers_in_line(paused) == {}


def test_a_second_stay_that_was_lost_is_restored(paused, now):
    join(paused, 1, now)
    services.leave(event_id=paused.pk, person="1", now=now)
    services.drain_journals()
    again = join(paused, 1, now + seconds(1))
    redis.queue_client().flushdb()
    services.tick_open_queues(now=now + seconds(2))

    assert ask(again, now + seconds(3)).number == again.number


@pytest.mark.parametrize(
    ("gap", "is_right"), [(rebuilds.MAX_LOST_NUMBERS, True), (0, False)], ids=["gap", "control"]
)
def test_nobody_gets_a_number_that_somebody_else_has_a_token_for(
    paused, now, monkeypatch, gap, is_right
):
    monkeypatch.setattr(rebuilds, "MAX_LOST_NUMBERS", gap)
    services.drain_journals()
    before = [join(paused, number, now) for number in range(1, 9)]
    redis.queue_client().flushdb()
    services.tick_open_queues(now=now + seconds(1))

    def act(number: int) -> int:
        moment = now + seconds(2)
        if number % 2:
            return ask(before[number // 2], moment).number
        return join(paused, 100 + number, moment).number

    given = together(16, act)

    assert (max(Counter(given).values()) == 1) == is_right
    assert (given[1::2] == [token.number for token in before]) == is_right


@pytest.mark.parametrize("checks", [True, False], ids=["it", "control"])
def test_a_number_that_was_lost_after_a_rebuild_is_not_given_after_the_next(
    paused, lost, now, checks
):
    """Nobody whom the journal knows has come between the two; the control forgets the first."""
    again = join(paused, 200, now + seconds(2))
    if not checks:
        SaleQueue.objects.update(numbers_from=0)
    redis.queue_client().flushdb()
    services.tick_open_queues(now=now + seconds(3))

    later = join(paused, 999, now + seconds(4))

    assert (later.number > again.number) == checks
    assert (ask(again, now + seconds(5)).number == again.number) == checks


@pytest.mark.parametrize("checks", [True, False], ids=["it", "control"])
def test_a_token_that_many_show_at_once_restores_one_place(
    paused, lost, now, tmp_path, monkeypatch, checks
):
    """Several tabs poll at the same moment; the control does not look for the place first."""
    copytree(scripts.FOLDER, tmp_path, dirs_exist_ok=True)
    script = tmp_path / "restore_place.lua"
    if not checks:
        text = script.read_text().replace("if PRESENT[place[1]] or", "if")
        script.write_text(text.replace(" and redis.call('ZCOUNT', line, number, number) == 0", ""))
    monkeypatch.setattr(scripts, "FOLDER", tmp_path)
    scripts.script.cache_clear()
    met = Barrier(MANY)
    seen = lost_places.may_be_lost

    def seen_by_all(*args):
        answer = seen(*args)
        met.wait(60)
        return answer

    monkeypatch.setattr("waiting_queue.services.fans.may_be_lost", seen_by_all)

    found = together(MANY, lambda _: ask(lost[0], now + seconds(2)).number)
    scripts.script.cache_clear()
    services.drain_journals()

    joins = QueueJournal.objects.filter(person=int(lost[0].person), kind="join").count()
    assert set(found) == {lost[0].number}
    assert (joins == 1) == checks


# -- the slow work of a queue ---------------------------------------------------------------------


def test_a_tick_hands_slow_work_on_and_does_none_of_it(paused, now):
    join(paused, 1, now)
    services.drain_journals()
    redis.queue_client().flushdb()
    handed_on: list[int] = []

    services.tick_open_queues(now=now + seconds(1), maintain=handed_on.append)

    assert handed_on == [paused.pk]
    assert not store.has_meta(paused.pk)
    services.maintain_queue(paused.pk, now=now + seconds(2))
    assert numbers_in_line(paused) == {"1": 1}


def test_a_rebuild_waits_for_a_copy_of_the_journal_and_counts_everybody(paused, operator, now):
    for person in range(1, 6):
        join(paused, person, now)
    locked = Signal()

    def copy_slowly() -> None:
        with transaction.atomic():
            queue_for_update(paused.pk)
            locked.set()
            wait_unless_blocking(lambda: False)  # until the rebuild waits for this transaction
        connection.close()

    counts: list[int] = []

    def rebuild() -> None:
        rebuilt = services.rebuild_queue_on_request(event_id=paused.pk, by=None, now=now)
        counts.append(rebuilt)
        connection.close()

    threads = [Thread(target=copy_slowly), Thread(target=rebuild)]
    threads[0].start()
    assert locked.wait(60)
    threads[1].start()
    for thread in threads:
        thread.join()

    assert counts == [5]
    assert QueueChange.objects.filter(what="rebuilt").latest("pk").after == "5"
    assert numbers_in_line(paused) == {str(person): person for person in range(1, 6)}


def test_of_a_line_that_another_worker_has_rebuilt_no_numbers_are_set_aside_again(
    paused, now, monkeypatch
):
    join(paused, 1, now)
    services.drain_journals()
    redis.queue_client().flushdb()
    services.rebuild_queue(event_id=paused.pk, now=now)
    rebuilds._set_numbers_aside(paused.pk)
    assert SaleQueue.objects.get().numbers_from == 1 + rebuilds.MAX_LOST_NUMBERS

    monkeypatch.setattr(store, "has_meta", lambda _: False)
    rebuilds._set_numbers_aside(paused.pk)

    assert SaleQueue.objects.get().numbers_from == 1 + 2 * rebuilds.MAX_LOST_NUMBERS
