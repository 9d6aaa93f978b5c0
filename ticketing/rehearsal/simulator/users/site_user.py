"""A simulated user's session at the site: calls, their records, and the standing they report."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import TYPE_CHECKING, Any

from ticketing.rehearsal.simulator.history import Record
from ticketing.rehearsal.simulator.users import challenges
from ticketing.rehearsal.simulator.users.outcomes import UserFinished
from ticketing.rehearsal.simulator.users.personas import Plan
from ticketing.rehearsal.simulator.users.responses import (
    STANDING,
    STANDING_WITH_DEADLINE,
    Response,
    standing_fields,
)

if TYPE_CHECKING:
    from ticketing.rehearsal.simulator.users.user_pool import UserPool


@dataclass(frozen=True, slots=True)
class Account:
    """An account and its session."""

    id: int
    session: str
    lane: int = 0


class SiteUser:
    """Calls the site with the session of one account, and records every call."""

    def __init__(self, pool: "UserPool", plan: Plan, account: Account) -> None:
        self.pool, self.plan, self.account = pool, plan, account
        self.http, self.now, self.event = pool.http, pool.now, pool.event
        self.rng = Random(f"{pool.seed}/{plan.number}/on the way")  # noqa: S311 - no secret
        self.ip_index = plan.number // 3
        self.cookies = {pool.cookie: account.session}
        self.headers = {"Cookie": f"{pool.cookie}={account.session}", "Origin": self.http.origin}
        self.state, self.token = "NONE", ""
        self.number = self.ahead = self.turn = 0
        self.must_finish = False  # a payment is under way
        self.phase = ""
        self.enter_phase("away")

    @property
    def queue(self) -> str:
        return f"/api/v1/events/{self.event}/queue/"

    @property
    def seats(self) -> str:
        return f"/api/v1/events/{self.event}/reservations/"

    @property
    def turn_query(self) -> str:
        """Asks the site for no standing older than the one that the user has seen."""
        return f"?turn={self.turn}" if self.turn else ""

    def apply_standing(self, standing: dict[str, Any]) -> None:
        turn = standing.get("turn", 0)
        self.turn = turn if standing.get("token") else max(turn, self.turn)
        self.state = standing["state"]
        self.number, self.ahead = standing.get("number") or 0, standing.get("ahead") or 0
        self.token = standing.get("token") or self.token

    def enter_phase(self, phase: str) -> None:
        if phase != self.phase:
            self.pool.counters.change_phase(self.phase, phase)
            self.phase = phase

    async def pause(self, seconds: float) -> None:
        """Wait; the closing of the sale ends the visit, but not in the middle of a payment."""
        if self.must_finish:
            await asyncio.sleep(seconds)
        elif await self.pool.is_closing_within(seconds):
            raise UserFinished("closed", "the line was closed")

    # -- calls ------------------------------------------------------------------------------------

    async def call(self, method: str, path: str, **more: Any) -> Response:
        """Call once, solve the challenge if there is one, and keep the cookies."""
        more.setdefault("headers", self.headers)
        response = await self.http.call(method, path, ip_index=self.ip_index, **more)
        while response.status == 403 and response.code == challenges.REQUIRED:
            began = self.now()
            posed = response.json()["details"]["challenge"]
            solved = more["headers"] | {challenges.HEADER: await challenges.solve(posed)}
            self.record("challenge", began, level=posed["level"])
            response = await self.http.call(
                method, path, ip_index=self.ip_index, **more | {"headers": solved}
            )
        if response.cookies:  # one of them tells the site which browser this is
            self.cookies |= response.cookies
            joined = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
            self.headers["Cookie"] = joined
        return response

    async def ask(
        self,
        action: str,
        method: str,
        path: str,
        *,
        names: tuple[str, ...] = (),
        record_data: dict[str, Any] | None = None,
        **more: Any,
    ) -> Response:
        """Call until the answer does not ask to retry later."""
        for attempt in count():
            with self.recorded_if_stopped(action, **(record_data or {})):
                response = await self.call(method, path, **more)
            self.record_response(action, response, names=names, **(record_data or {}))
            if not response.asks_to_retry:
                break
            await self.pause(response.retry_delay(attempt, self.rng.random()))
        return response

    # -- records ----------------------------------------------------------------------------------

    @contextmanager
    def recorded_if_stopped(self, action: str, **data: Any) -> Iterator[None]:
        """Record the call in this block as one without an answer if the user is stopped in it."""
        began = self.now()
        try:
            yield
        except asyncio.CancelledError:
            self.record(action, began, status=0, **data)
            raise

    def record_response(
        self, action: str, response: Response, *, names: tuple[str, ...] = (), **data: Any
    ) -> None:
        """Record a response, and apply the standing that it carries."""
        body = response.json() if names or not response.is_ok else {}
        if response.is_ok and "state" in body and names in (STANDING, STANDING_WITH_DEADLINE):
            self.apply_standing(body)
        standing = standing_fields(body, names) if response.is_ok else {}
        self.record(
            action,
            response.began,
            response.ended,
            status=response.status,
            code=response.code,
            **data,
            **standing,
        )

    def record(
        self,
        action: str,
        began: float,
        ended: float | None = None,
        *,
        status: int = 200,
        code: str = "",
        **data: Any,
    ) -> None:
        ended = self.now() if ended is None else ended
        self.pool.record(Record(self.plan.number, action, began, ended, status, code, data))
