"""One person joins and leaves a line only so often."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.conf import settings

from tests.waiting_queue.line import Line
from ticketing.core import redis
from waiting_queue import errors, keys, services, store

MOST = settings.MOVES_PER_MINUTE


@pytest.fixture
def line() -> Line:
    return Line().begin(state="paused")


def move_in_and_out(line: Line, person: str = "ann", times: int = MOST // 2) -> list[str]:
    outcomes = []
    for _ in range(times):
        outcomes.append(line.join(person).outcome)
        line.leave(person)
    return outcomes


def test_after_so_many_moves_a_person_is_asked_to_wait(line):
    assert set(move_in_and_out(line)) == {"joined"}

    refused = line.join("ann")

    assert refused.outcome == "too_often"
    assert 0 < int(refused.reason) <= 60
    assert line.join("ben").outcome == "joined"
    assert Line(8).begin(state="paused").join("ann").outcome == "joined"


def test_whoever_is_in_line_may_join_again_and_leave(line):
    move_in_and_out(line, times=MOST // 2 - 1)

    assert [line.join("ann").outcome for _ in range(30)] == ["joined"] + ["already"] * 29
    assert line.leave("ann") == "waiting"


def test_a_minute_later_the_count_begins_anew(line):
    move_in_and_out(line)
    counted = keys.moves(7, "ann")
    assert 0 < redis.client().pttl(counted) <= 60_000

    redis.client().pexpire(counted, 0)

    assert line.join("ann").outcome == "joined"


def test_only_those_who_leave_have_a_count(line):
    line.join("ann")
    line.tick(state="open", rate=0)
    line.claim("ann")
    line.leave("ann", "completed")

    assert redis.client().exists(keys.moves(7, "ann")) == 0


@pytest.mark.parametrize(("most", "joins"), [(MOST, {MOST // 2}), (0, None)])
def test_moves_at_the_same_moment_are_counted(line, monkeypatch, most, joins):
    """Without a limit, as a control, there are more."""
    monkeypatch.setattr(settings, "MOVES_PER_MINUTE", most)

    def hammer(_: int) -> int:
        joined = 0
        for _ in range(10):
            joined += store.run(store.join(7, "ann", line.now)).outcome == "joined"
            store.run(store.leave(7, "ann", line.now))
        return joined

    with ThreadPoolExecutor(8) as threads:
        joined = sum(threads.map(hammer, range(8)))

    assert joined in joins if joins else joined > MOST


@pytest.mark.django_db(transaction=True)
def test_the_service_says_when_to_come_back(open_queue, now):
    for _ in range(MOST // 2):
        services.join(event_id=open_queue.pk, person="1", now=now)
        services.leave(event_id=open_queue.pk, person="1", now=now)

    with pytest.raises(errors.TooManyMoves) as refused:
        services.join(event_id=open_queue.pk, person="1", now=now)

    assert 0 < refused.value.retry_after <= 60
    assert store.run(store.peek(open_queue.pk, "1", now)).state == "left"
