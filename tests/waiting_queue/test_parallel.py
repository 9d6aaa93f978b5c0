"""Many processes and threads at one line, with controls that go wrong without the scripts."""

import time
from datetime import datetime, timedelta
from itertools import pairwise
from threading import Barrier, get_ident
from typing import Any

import pytest

from tests.making import make_event
from tests.race import together, winners
from tests.waiting_queue.line import Line
from tests.waiting_queue.processes import EACH, in_processes, join_many, tick_for_a_minute
from ticketing.core import redis
from ticketing.core.errors import IllegalMove
from waiting_queue import errors, keys, services, store
from waiting_queue.models import QueueChange, QueueDraw, QueueJournal, SaleQueue
from waiting_queue.services import journal as journal_services

pytestmark = pytest.mark.soak

State = SaleQueue.State
PROCESSES, MANY = 8, 8


def seconds(number: float) -> timedelta:
    return timedelta(seconds=number)


# -- joining --------------------------------------------------------------------------------------


def test_sixteen_thousand_from_eight_processes_get_distinct_numbers_in_their_order():
    Line().begin(state="paused")

    numbers = in_processes(PROCESSES, join_many)

    assert sorted(n for mine in numbers for n in mine) == list(range(1, PROCESSES * EACH + 1))
    assert all(mine == sorted(mine) for mine in numbers)


def test_one_person_from_sixteen_threads_gets_one_number():
    line = Line().begin(state="paused")

    results = together(16, lambda _: line.join("ann"))

    assert [v.standing.number for v in results] == [1] * 16
    assert sorted(v.outcome for v in results) == ["already"] * 15 + ["joined"]


def test_control_reading_before_writing_gives_one_person_many_numbers():
    everybody_has_read, client = Barrier(16), redis.queue_client()

    def join_in_two_steps(_: int) -> int:
        known = client.zscore("queue:{7}:line", "ann")
        everybody_has_read.wait(60)
        return int(known or client.incr("queue:{7}:counter"))

    assert len(set(together(16, join_in_two_steps))) == 16


def walk_in(line: Line, cap: int, rate: float) -> list[str]:
    """Forty people at once, with room for a few."""
    line.begin(cap=cap, rate=rate).wait(1)
    results = together(40, lambda number: line.join(str(number)))
    return [v.standing.state for v in results]


@pytest.mark.parametrize(("cap", "rate", "most"), [(5, 0, 5), (800, 7, 7)])
def test_walking_in_at_once_keeps_to_cap_and_rate(cap, rate, most):
    states = walk_in(Line().begin(), cap, rate)

    assert states.count("admitted") == most
    assert states.count("waiting") == 40 - most


def test_control_counting_before_entering_lets_too_many_in():
    everybody_has_counted, client = Barrier(40), redis.queue_client()

    def enter_in_two_steps(number: int) -> bool:
        free = client.zcard("queue:{7}:inside") < 5
        everybody_has_counted.wait(60)
        return bool(free and client.zadd("queue:{7}:inside", {str(number): 1}))

    assert together(40, enter_in_two_steps).count(True) == 40


# -- claims, ticks and ends -----------------------------------------------------------------------


def test_claims_that_race_with_ticks_and_expiries_lose_nobody():
    """Half of them claim just as their time runs out: each is inside or expired, never both."""
    people = [str(number) for number in range(60)]
    line = Line().begin(state="paused", rate=0, cap=60)
    line.join(*people)
    line.tick(state="open")
    line.wait(59)
    late = Line(rules=line.rules, now=line.now + seconds(2))

    def act(number: int) -> Any:
        if number >= len(people):
            return late.tick()
        return (line if number % 2 else late).claim(people[number]).outcome

    words = together(len(people) + 4, act)[: len(people)]

    inside, ended = (_members(name) for name in ("inside", "ended"))
    assert inside == {p for p, word in zip(people, words, strict=True) if word == "claimed"}
    assert inside | ended == set(people)
    assert not inside & ended
    assert _members("ready") == set()


def _members(name: str) -> set[str]:
    return set(redis.queue_client().zrange(keys.key(7, name), 0, -1))


def test_tickers_in_many_processes_call_as_many_as_one():
    line = Line().begin(state="paused")
    line.join(*(str(number) for number in range(1_000)))
    line.tick(state="open")

    called = [person for mine in in_processes(4, tick_for_a_minute) for person in mine]

    assert sorted(called, key=int) == [str(number) for number in range(600)]


def test_control_tickers_that_call_a_second_s_worth_each_call_too_many():
    """What a tick would do that trusts the beat instead of the time that has passed."""
    client = redis.queue_client()
    client.zadd("queue:{7}:line", {str(number): number for number in range(1_000)})

    called = together(4, lambda _: [client.zpopmin("queue:{7}:line", 10) for _ in range(60)])

    assert sum(len(batch) for mine in called for batch in mine) == 1_000


# -- services -------------------------------------------------------------------------------------


@pytest.fixture
def paused(queue, operator, now):
    services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=now)
    return services.move_queue(event_id=queue.pk, to=State.PAUSED, by=operator, now=now)


def people_join(queue: SaleQueue, many: int, now: datetime) -> None:
    steps = [store.join(queue.pk, str(number), now) for number in range(1, many + 1)]
    store.run_all(steps)


@pytest.mark.django_db(transaction=True)
def test_two_tickers_of_all_queues_admit_at_the_rate(paused, operator, now):
    people_join(paused, 300, now)
    services.move_queue(event_id=paused.pk, to=State.OPEN, by=operator, now=now)
    services.tick_open_queues(now=now)

    def ten_seconds(_: int) -> int:
        moments = [now + seconds(second) for second in range(1, 11)]
        return sum(len(services.tick_open_queues(now=at)[paused.pk].called) for at in moments)

    assert sum(together(4, ten_seconds)) == 100


@pytest.mark.django_db(transaction=True)
def test_a_person_who_joins_two_lines_at_once_stands_in_one(operator, now):
    """With every order of the four steps that two joins consist of."""
    lines = [SaleQueue.objects.create(event=make_event(now), opens_at=now) for _ in range(2)]
    for queue in lines:
        services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=now)

    for person in map(str, range(30)):
        results = together(
            MANY,
            lambda n, person=person: services.join(
                event_id=lines[n % 2].pk, person=person, now=now
            ),
        )
        states = {q.pk: store.run(store.peek(q.pk, person, now)).state for q in lines}
        live = [pk for pk, state in states.items() if state in {"waiting", "admitted"}]
        assert len(live) == 1
        assert winners(results)
        assert {type(r) for r in results if isinstance(r, Exception)} <= {errors.InAnotherLine}


@pytest.mark.django_db(transaction=True)
def test_a_join_that_is_on_its_way_counts(operator, now):
    """On a cluster the note and the join are two trips: between them the first must still win."""
    first, second = (
        SaleQueue.objects.create(event=make_event(now), opens_at=now) for _ in range(2)
    )
    for queue in (first, second):
        services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=now)
    noted = store.run(store.add_membership(first.pk, "1", now))

    with pytest.raises(errors.InAnotherLine):
        services.join(event_id=second.pk, person="1", now=now)

    assert list(noted) == [first.pk]
    assert services.join(event_id=first.pk, person="1", now=now).number == 1


@pytest.mark.django_db(transaction=True)
def test_drains_at_once_journal_each_entry_once(paused, now, monkeypatch):
    monkeypatch.setattr(journal_services, "BATCH", 50)
    people_join(paused, 500, now)

    together(MANY, lambda _: services.drain_journals(batches=20))
    services.drain_journals(batches=20)

    people = QueueJournal.objects.filter(kind="join").values_list("person", flat=True)
    assert sorted(people) == list(range(1, 501))


@pytest.mark.django_db(transaction=True)
def test_control_drains_without_names_for_entries_journal_many_times(paused, now, monkeypatch):
    """The row lock makes it polite; the unique name of an entry makes it true."""
    people_join(paused, 50, now)
    everybody_has_read, read = Barrier(MANY), store.journal_entries

    def read_together(event_id: int, count: int) -> Any:
        entries = read(event_id, count)
        everybody_has_read.wait(60)
        return [(f"{get_ident() % 10**6}-{entry}", fields) for entry, fields in entries]

    monkeypatch.setattr(store, "journal_entries", read_together)
    monkeypatch.setattr(
        journal_services, "free_queue_for_update", lambda pk: SaleQueue.objects.get(pk=pk)
    )

    together(MANY, lambda _: services.drain_journals(batches=1))

    assert QueueJournal.objects.filter(kind="join").count() == MANY * 50


@pytest.fixture
def lobby(queue, operator, now):
    queue = services.move_queue(event_id=queue.pk, to=State.LOBBY, by=operator, now=now)
    people_join(queue, 300, now)
    return queue


@pytest.mark.django_db(transaction=True)
def test_draws_at_once_give_each_number_once_and_latecomers_are_behind(lobby, operator, now):
    """The lobby ends while tickers tick and people still come."""

    def act(number: int) -> Any:
        if number == 0:
            return services.move_queue(event_id=lobby.pk, to=State.OPEN, by=operator, now=now)
        if number < 5:
            return [services.tick_open_queues(now=now) for _ in range(3)] and None
        return store.run(store.join(lobby.pk, str(1_000 + number), now))

    together(15, act)
    for _ in range(2):
        services.tick_open_queues(now=now)

    line = redis.queue_client().zrange(keys.key(lobby.pk, "line"), 0, -1, withscores=True)
    everybody = {*map(str, range(1, 301)), *(str(1_000 + n) for n in range(5, 15))}
    drawn = set(QueueDraw.objects.get().people)
    assert {person for person, _ in line} == everybody
    assert len({number for _, number in line}) == len(everybody)
    assert max(n for p, n in line if p in drawn) < min(
        [n for p, n in line if p not in drawn] or [999]
    )


@pytest.mark.django_db(transaction=True)
def test_of_many_who_move_a_queue_at_once_one_does_it(paused, operator, now):
    results = together(
        MANY,
        lambda _: services.move_queue(event_id=paused.pk, to=State.OPEN, by=operator, now=now),
    )

    assert len(winners(results)) == 1
    assert sum(isinstance(result, IllegalMove) for result in results) == MANY - 1
    moves = QueueChange.objects.filter(queue=paused, what="state").order_by("id")
    assert all(a.after == b.before for a, b in pairwise(moves))


@pytest.mark.django_db(transaction=True)
def test_a_rebuild_among_ticks_and_joins_loses_nobody(paused, now):
    """Tickers find the line lost and rebuild it while others try to join it."""
    people_join(paused, 200, now)
    services.drain_journals()
    redis.queue_client().flushdb()

    def act(number: int) -> Any:
        if number < 4:
            return [services.tick_open_queues(now=now + seconds(s)) for s in range(1, 5)]
        time.sleep(0.01 * number)
        return services.join(event_id=paused.pk, person=str(1_000 + number), now=now)

    results = together(16, act)
    services.tick_open_queues(now=now + seconds(5))

    line = redis.queue_client().zrange(keys.key(paused.pk, "line"), 0, -1, withscores=True)
    numbers = {person: int(number) for person, number in line}
    joined = {str(1_000 + n): r.number for n, r in enumerate(results) if n >= 4 and _is_in(r)}
    assert {str(n): n for n in range(1, 201)}.items() <= numbers.items()
    assert joined.items() <= numbers.items()
    assert len(set(numbers.values())) == len(numbers)


def _is_in(result: Any) -> bool:
    return not isinstance(result, Exception)
