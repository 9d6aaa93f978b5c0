"""A user who is cancelled in the middle of a call records the truth."""

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import pytest

from ticketing.rehearsal.simulator.history import Record
from ticketing.rehearsal.simulator.users.checkout import Checkout
from ticketing.rehearsal.simulator.users.fan import Account, Fan
from ticketing.rehearsal.simulator.users.responses import Response


class SilentSite:
    """A site that never answers calls of one method."""

    origin = url = "http://site.invalid"

    def __init__(self, silent: str) -> None:
        self.silent, self.reached = silent, asyncio.Event()

    async def call(self, method: str, path: str, **_: Any) -> Response:
        if method == self.silent:
            self.reached.set()
            await asyncio.Event().wait()
        return Response(200, 1.0, 2.0, json.dumps({"fee": 0, "state": "SUCCEEDED"}).encode())


async def records_of_cancelled_user(silent: str) -> list[Record]:
    """Of a user who has paid, and is about to give the tickets back."""
    records, http = [], SilentSite(silent)
    counters = SimpleNamespace(change_phase=lambda *_: None)
    pool: Any = SimpleNamespace(http=http, now=lambda: 5.0, event=7, seed=1, cookie="sessionid")
    pool.record, pool.counters = records.append, counters
    plan: Any = SimpleNamespace(number=3, gives_back=True)
    fan = Fan(pool, plan, Account(9, "session"))
    fan.rng = SimpleNamespace(uniform=lambda *_: 0)

    async def pay() -> None:
        checkout = Checkout(fan, "ABC", "token")
        checkout.number = "pay-1"
        await checkout.finish_with_tickets()

    fan.use_site, pool.wait_for_arrival = pay, lambda _: asyncio.sleep(0)
    plan.arrival, plan.persona = None, "patient"
    task = asyncio.create_task(fan.run())
    await asyncio.wait_for(http.reached.wait(), 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    return records


async def test_tickets_are_the_users_until_they_are_given_back():
    *_, end = await records_of_cancelled_user("GET")

    assert (end.action, end.data["state"]) == ("end", "bought")


async def test_a_cancellation_without_an_answer_is_recorded_as_unknown():
    *_, cancel, end = await records_of_cancelled_user("POST")

    assert (cancel.action, cancel.status, cancel.data["payment"]) == ("cancel", 0, "pay-1")
    assert (end.action, end.data["state"]) == ("end", "closed")
