"""Few checkouts work at a time, so that pages come in between."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from ticketing.core import slots
from ticketing.core.slots import slot, slot_given_up

CROWD = 100


@pytest.fixture(autouse=True)
def _two_slots(settings):
    settings.FAST_PATH_THREADS = 2


async def turns():
    """Let everything that can run now do so."""
    for _ in range(10):
        await asyncio.sleep(0)


async def steps_before_a_page(take_slot):
    """How many steps of a crowd that starts at once run before a page that comes after it."""
    done = 0

    async def step():
        nonlocal done
        async with take_slot():
            done += 1
            await asyncio.sleep(0)

    async def page():
        return done

    crowd = [asyncio.create_task(step()) for _ in range(CROWD)]
    seen = await asyncio.create_task(page())
    await asyncio.gather(*crowd)
    assert done == CROWD
    return seen


async def test_a_page_does_not_wait_for_a_crowd_that_pays():
    assert await steps_before_a_page(slot) == 2


async def test_control_without_slots_it_waits_for_all_of_them():
    @asynccontextmanager
    async def none():
        yield

    assert await steps_before_a_page(none) == CROWD


async def test_slots_are_given_in_order_of_arrival():
    came = []

    async def step(number):
        async with slot():
            came.append(number)
            await asyncio.sleep(0)

    await asyncio.gather(*(step(number) for number in range(20)))

    assert came == list(range(20))


class Payer:
    """Works, waits for the gateway, works again."""

    def __init__(self, name, log):
        self.name, self.log, self.answer = name, log, asyncio.Event()

    async def pay(self):
        async with slot():
            self.log.append(f"{self.name} asks")
            async with slot_given_up():
                await self.answer.wait()
            self.log.append(f"{self.name} is back")
            await asyncio.sleep(0)


async def test_who_waits_for_the_gateway_has_no_slot():
    log = []
    payers = [Payer(n, log) for n in range(50)]
    paying = [asyncio.create_task(payer.pay()) for payer in payers]
    while len(log) < 50:
        await asyncio.sleep(0)

    for payer in payers:
        payer.answer.set()
    await asyncio.gather(*paying)

    assert len(log) == 100


async def test_who_comes_back_goes_before_who_comes_new(settings):
    settings.FAST_PATH_THREADS = 1
    log, leave = [], asyncio.Event()
    payer = Payer("first", log)
    paying = asyncio.create_task(payer.pay())
    await turns()

    async def stay(name):
        async with slot():
            log.append(name)
            await leave.wait()

    others = [asyncio.create_task(stay(name)) for name in ("a", "b", "c", "d")]
    await turns()
    payer.answer.set()
    await turns()
    leave.set()
    await asyncio.gather(paying, *others)

    assert log == ["first asks", "a", "first is back", "b", "c", "d"]


@pytest.mark.parametrize("when", ["waiting", "outside"])
async def test_a_cancelled_task_loses_no_slot(when):
    log, leave = [], asyncio.Event()

    async def stay():
        async with slot():
            await leave.wait()

    payer = Payer("one", log)
    if when == "outside":
        paying = asyncio.create_task(payer.pay())
        await turns()
    staying = [asyncio.create_task(stay()) for _ in range(2)]
    await turns()
    if when == "waiting":
        paying = asyncio.create_task(payer.pay())
        await turns()
    paying.cancel()
    await turns()
    leave.set()
    await asyncio.gather(paying, *staying, return_exceptions=True)

    assert slots._of_loop()._free == 2


async def test_a_task_that_is_started_inside_does_not_give_up_the_slot_of_another():
    async def child():
        async with slot_given_up():
            await turns()
            return slots._of_loop()._free

    async with slot():
        assert await asyncio.create_task(child()) == 1


async def test_without_a_slot_there_is_nothing_to_give_up():
    async with slot_given_up():
        assert slots._of_loop()._free == 2
    assert slots._of_loop()._free == 2
