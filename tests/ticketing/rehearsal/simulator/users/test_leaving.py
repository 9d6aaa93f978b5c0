"""A user who is cancelled in the middle of a call records the truth."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from types import SimpleNamespace
from typing import Any

import pytest

from ticketing.rehearsal.simulator.history import Record
from ticketing.rehearsal.simulator.users.checkout import Checkout
from ticketing.rehearsal.simulator.users.fan import Fan
from ticketing.rehearsal.simulator.users.purchase import Hold, Purchase
from ticketing.rehearsal.simulator.users.responses import Response
from ticketing.rehearsal.simulator.users.site_user import Account


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


async def records_of_stopped_user(
    silent: str, use_site: Callable[[Fan], Coroutine[Any, Any, Any]]
) -> list[Record]:
    """Of a user who is stopped while a call of this method has no answer."""
    records, http = [], SilentSite(silent)
    counters = SimpleNamespace(change_phase=lambda *_: None)
    pool: Any = SimpleNamespace(http=http, now=lambda: 5.0, event=7, seed=1, cookie="sessionid")
    pool.record, pool.counters = records.append, counters
    plan: Any = SimpleNamespace(number=3, gives_back=True, seats=2, seat_strategy="any", clicks=1)
    fan = Fan(pool, plan, Account(9, "session"))
    fan.rng = SimpleNamespace(uniform=lambda *_: 0)
    fan.use_site, pool.wait_for_arrival = lambda: use_site(fan), lambda _: asyncio.sleep(0)
    plan.arrival, plan.persona = None, "patient"
    task = asyncio.create_task(fan.run())
    await asyncio.wait_for(http.reached.wait(), 60)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    return records


async def records_of_cancelled_user(silent: str) -> list[Record]:
    """Of a user who has paid, and is about to give the tickets back."""

    async def give_back(fan: Fan) -> None:
        checkout = Checkout(fan, "ABC", "token")
        checkout.number = "pay-1"
        await checkout.finish_with_tickets()

    return await records_of_stopped_user(silent, give_back)


async def records_of_user_stopped_in(action: str) -> list[Record]:
    async def act(fan: Fan) -> None:
        purchase = Purchase(fan)
        match action:
            case "hold":
                await purchase.send_hold({"seats": [4, 5]})
            case "release":
                purchase.held = Hold("ABC", [4], "token")
                await purchase.release()
            case "join":
                await fan.join()

    return await records_of_stopped_user("DELETE" if action == "release" else "POST", act)


@pytest.mark.parametrize(
    ("action", "data"),
    [("hold", {"asked": [4, 5]}), ("release", {"reservation": "ABC"}), ("join", {})],
)
async def test_any_call_without_an_answer_is_recorded_as_unknown(action, data):
    *_, call, end = await records_of_user_stopped_in(action)

    assert (call.action, call.status, call.data) == (action, 0, data)
    assert end.action == "end"


async def test_tickets_are_the_users_until_they_are_given_back():
    *_, end = await records_of_cancelled_user("GET")

    assert (end.action, end.data["state"]) == ("end", "bought")


async def test_a_cancellation_without_an_answer_is_recorded_as_unknown():
    *_, cancel, end = await records_of_cancelled_user("POST")

    assert (cancel.action, cancel.status, cancel.data["payment"]) == ("cancel", 0, "pay-1")
    assert (end.action, end.data["state"]) == ("end", "closed")
