"""What a challenge costs the site: a join without one, and with one, in the event loop.

The fast path is called in this process, without the server's HTTP, which all requests share.
"""

import asyncio
import json
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from bench.database import prepare_database
from bench.options import Options
from bench.people import Fan, make_event_on_sale, make_fans
from bench.report import Report, Row
from bench.site import BenchSite

PEOPLE = 2_400
MOMENT = 20  # calls that come at once


def run(options: Options) -> Report:
    site = BenchSite(replace(options, processes=1), CHALLENGE="proof_of_work")
    report = site.report("challenge")
    try:
        prepare_database()
        people = make_fans(options.people or PEOPLE, "http://localhost")
        event, _ = make_event_on_sale(20, knobs={"admit_per_second": 0})
        rows = asyncio.run(_measure(event, people, options.rounds))
        report.table("processor of the site for one join, with Redis in another process", rows)
    finally:
        site.stop()
    return report


async def _measure(event: int, people: list[Fan], rounds: int) -> dict[str, Row]:
    """In turns, so that a slow moment of the machine affects all of them; the first warms up."""
    from ticketing.core import redis

    size, crowd = len(people) // (2 * rounds + 2), Crowd(event)
    groups = [people[start : start + size] for start in range(0, len(people), size)]
    took: dict[str, list[float]] = {"calm": [], "asked": [], "solved": [], "solving": []}
    for calm, rushed in zip(groups[::2], groups[1::2], strict=False):
        crowd.rush(joins=0)
        took["calm"].append((await crowd.join(calm))[0])
        crowd.rush()
        ms, refusals = await crowd.join(rushed)
        took["asked"].append(ms)
        began = time.process_time()
        solutions = [_solution(refusal) for refusal in refusals]
        took["solving"].append(1000 * (time.process_time() - began) / len(solutions))
        crowd.rush()
        took["solved"].append((await crowd.join(rushed, solutions))[0])
    await redis.close_async_clients()
    ms_of = {name: statistics.median(times[1:]) for name, times in took.items()}
    return {
        "calm": {"CPU ms": ms_of["calm"]},
        "challenge asked for": {"CPU ms": ms_of["asked"]},
        "joined with its solution": {"CPU ms": ms_of["solved"]},
        "challenge, in all": {"CPU ms": ms_of["asked"] + ms_of["solved"] - ms_of["calm"]},
        "of the client who solves it": {"CPU ms": ms_of["solving"]},
    }


class Crowd:
    def __init__(self, event: int) -> None:
        from ticketing.asgi import site

        self.site: Any = site
        self.event, self.path = event, f"/api/v1/events/{event}/queue/"

    def rush(self, joins: int = 100) -> None:
        from tests.waiting_queue.challenges import rush

        rush(self.event, joins)

    async def join(
        self, people: list[Fan], solutions: list[str] | None = None
    ) -> tuple[float, list[Any]]:
        """Milliseconds of processor per call, and the answers, which the client parses later.

        The first are not counted: solving has filled the processor's caches with other things.
        """
        sent = solutions or [""] * len(people)
        calls = [self._call(fan, solution) for fan, solution in zip(people, sent, strict=True)]
        answers = await asyncio.gather(*(call() for call in calls[:MOMENT]))
        began = time.process_time()
        for start in range(MOMENT, len(calls), MOMENT):
            answers += await asyncio.gather(*(call() for call in calls[start : start + MOMENT]))
        took = 1000 * (time.process_time() - began) / (len(calls) - MOMENT)
        return took, [json.loads(answer) for answer in answers]

    def _call(self, fan: Fan, solution: str) -> Callable[[], Any]:
        headers = fan.headers | {"Host": "localhost", "Challenge-Solution": solution}
        raw = [(name.lower().encode(), value.encode()) for name, value in headers.items() if value]
        scope = {
            "type": "http",
            "method": "POST",
            "path": self.path,
            "query_string": b"",
            "scheme": "http",
            "headers": raw,
            "client": (f"10.{fan.id // 250 % 250}.{fan.id % 250}.1", 1),
            "server": ("localhost", 80),
        }
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        async def call() -> Any:
            await self.site(scope, receive, send)
            return sent[-1]["body"]

        return call


def _solution(refusal: dict[str, Any]) -> str:
    from tests.waiting_queue.challenges import solution_of

    return solution_of(refusal["details"]["challenge"])
