"""Whoever is sent home in the middle of something says what is true."""

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import pytest

from ticketing.rehearsal.simulator.history import Deed
from ticketing.rehearsal.simulator.users.answers import Answer
from ticketing.rehearsal.simulator.users.fan import Account, Fan
from ticketing.rehearsal.simulator.users.paying import Paying


class Counter:
    """A site whose answers to one kind of call never come."""

    origin = url = "http://site.invalid"

    def __init__(self, silent: str) -> None:
        self.silent, self.reached = silent, asyncio.Event()

    async def call(self, method: str, path: str, **_: Any) -> Answer:
        if method == self.silent:
            self.reached.set()
            await asyncio.Event().wait()
        return Answer(200, 1.0, 2.0, json.dumps({"fee": 0, "state": "SUCCEEDED"}).encode())


async def told_by_who_is_sent_home(silent: str) -> list[Deed]:
    """Of somebody who has paid, and is about to give the tickets back."""
    deeds, door = [], Counter(silent)
    tally = SimpleNamespace(moved=lambda *_: None)
    crowd: Any = SimpleNamespace(door=door, now=lambda: 5.0, event=7, seed=1, cookie="sessionid")
    crowd.record, crowd.tally = deeds.append, tally
    plan: Any = SimpleNamespace(number=3, gives_back=True)
    fan = Fan(crowd, plan, Account(9, "session"))
    fan.luck = SimpleNamespace(uniform=lambda *_: 0)

    async def pay() -> None:
        paying = Paying(fan, "ABC", "token")
        paying.number = "pay-1"
        await paying.enjoy()

    fan.visit, crowd.until = pay, lambda _: asyncio.sleep(0)
    plan.arrival, plan.character = None, "patient"
    task = asyncio.create_task(fan.live())
    await asyncio.wait_for(door.reached.wait(), 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    return deeds


async def test_before_tickets_were_given_back_they_are_theirs():
    *_, end = await told_by_who_is_sent_home("GET")

    assert (end.did, end.saw["state"]) == ("end", "bought")


async def test_a_cancel_that_was_not_answered_may_have_been_done():
    *_, cancel, end = await told_by_who_is_sent_home("POST")

    assert (cancel.did, cancel.status, cancel.saw["payment"]) == ("cancel", 0, "pay-1")
    assert (end.did, end.saw["state"]) == ("end", "closed")
