"""What a crowd needs of the database is read by one of them, and before the others would wait."""

import asyncio
from threading import Event as Flag

import pytest

from tests.waiting import PATIENCE
from ticketing.core import clock
from ticketing.core.fast_path.threads import acached, in_thread
from ticketing.core.ttl_cache import TtlCached, ttl_cache

# The threads close connections that tests before have left too old.
pytestmark = pytest.mark.django_db(transaction=True)
CROWD = 50


class Reads:
    """A function that is slow until it may go on, and counts its calls."""

    def __init__(self) -> None:
        self.count, self.may_go_on = 0, Flag()
        self.failure: Exception | None = None
        self.may_go_on.set()
        self.cached: TtlCached[[int], int] = ttl_cache(1)(self.read)

    def read(self, event_id: int) -> int:
        self.count += 1
        number = self.count
        assert self.may_go_on.wait(PATIENCE)
        if self.failure:
            raise self.failure
        return 100 * event_id + number


@pytest.fixture
def reads() -> Reads:
    return Reads()


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1_000.0]
    monkeypatch.setattr(clock, "monotonic", lambda: now[0])
    return now


async def until_read(reads: Reads, count: int) -> None:
    async with asyncio.timeout(PATIENCE):
        while reads.cached.cached(1) != 100 + count:
            await asyncio.sleep(0.001)


async def test_a_crowd_reads_once(reads, time):
    reads.may_go_on.clear()
    crowd = [asyncio.create_task(acached(reads.cached, 1)) for _ in range(CROWD)]
    await asyncio.sleep(0)
    reads.may_go_on.set()

    assert await asyncio.gather(*crowd) == [101] * CROWD
    assert reads.count == 1


async def test_control_without_it_several_of_a_crowd_read(reads, time):
    reads.may_go_on.clear()
    crowd = [asyncio.create_task(in_thread(reads.cached, 1)) for _ in range(CROWD)]
    async with asyncio.timeout(PATIENCE):
        while reads.count < 2:
            await asyncio.sleep(0.001)
    reads.may_go_on.set()
    await asyncio.gather(*crowd)

    assert reads.count > 1


async def test_it_is_read_again_while_what_is_kept_is_still_given(reads, time):
    assert await acached(reads.cached, 1) == 101
    time[0] += 0.6
    reads.may_go_on.clear()

    assert [await acached(reads.cached, 1) for _ in range(CROWD)] == [101] * CROWD
    reads.may_go_on.set()
    await until_read(reads, 2)

    assert await acached(reads.cached, 1) == 102
    assert reads.count == 2


async def test_nobody_gets_what_is_too_old(reads, time):
    await acached(reads.cached, 1)
    time[0] += 1

    assert await acached(reads.cached, 1) == 102


async def test_what_is_asked_for_differently_is_read_by_itself(reads, time):
    answers = await asyncio.gather(acached(reads.cached, 1), acached(reads.cached, 2))

    assert [answer // 100 for answer in answers] == [1, 2]


async def test_one_who_leaves_does_not_stop_the_others(reads, time):
    reads.may_go_on.clear()
    first, other = (asyncio.create_task(acached(reads.cached, 1)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    reads.may_go_on.set()

    assert await other == 101
    assert first.cancelled() or first.cancelling()


async def test_a_failure_is_everybodys_and_is_not_kept(reads, time):
    reads.failure = OSError("down")
    told = await asyncio.gather(
        *(acached(reads.cached, 1) for _ in range(3)), return_exceptions=True
    )
    reads.failure = None

    assert {type(each) for each in told} == {OSError}
    assert await acached(reads.cached, 1) // 100 == 1


async def test_a_failure_meanwhile_leaves_what_is_kept(reads, time):
    await acached(reads.cached, 1)
    time[0] += 0.6
    reads.failure = OSError("down")

    assert await acached(reads.cached, 1) == 101
    async with asyncio.timeout(PATIENCE):
        while reads.count < 2:
            await asyncio.sleep(0.001)
    assert await acached(reads.cached, 1) == 101
