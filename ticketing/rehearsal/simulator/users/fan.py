"""One simulated user: arrives, waits in the queue, comes in and buys."""

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
from ticketing.rehearsal.simulator.users.parties import PartyMember
from ticketing.rehearsal.simulator.users.personas import FOREVER, Break, Plan
from ticketing.rehearsal.simulator.users.purchase import Hold, Purchase
from ticketing.rehearsal.simulator.users.queue_updates import QueueUpdates
from ticketing.rehearsal.simulator.users.responses import (
    STANDING,
    STANDING_WITH_DEADLINE,
    Response,
    standing_fields,
)

if TYPE_CHECKING:
    from ticketing.rehearsal.simulator.users.user_pool import UserPool

WAITING = frozenset({"LOBBY", "WAITING"})
SAMPLED = 20  # every frame is recorded of one user in so many
OUTCOME_OF_STATE = {
    "EXPIRED": ("expired", "they did not come in in time"),
    "CLOSED": ("closed", "the line was closed"),
    "BLOCKED": ("refused", "an operator moved them out"),
    "COMPLETED": ("bought", "the line says that they are done"),
    "LEFT": ("left", "the line says that they left"),
}
OUTCOME_OF_REFUSAL = {
    "queue_over": ("closed", "the line was closed before they came"),
    "queue_full": ("turned_away", "the line was full"),
    "blocked": ("refused", "they were blocked"),
}


@dataclass(frozen=True, slots=True)
class Account:
    """An account and its session."""

    id: int
    session: str
    lane: int = 0


class Fan:
    purchase_class = Purchase

    def __init__(self, pool: "UserPool", plan: Plan, account: Account) -> None:
        self.pool, self.plan, self.account = pool, plan, account
        self.http, self.now, self.event = pool.http, pool.now, pool.event
        self.rng = Random(f"{pool.seed}/{plan.number}/on the way")  # noqa: S311 - no secret
        self.ip_index = plan.number // 3
        self.cookies = {pool.cookie: account.session}
        self.headers = {"Cookie": f"{pool.cookie}={account.session}", "Origin": self.http.origin}
        self.is_sampled = plan.number % SAMPLED == 0
        self.state, self.token = "NONE", ""
        self.number = self.ahead = self.turn = 0
        self.socket_at = 0.0  # by the event loop's clock: before, the site asks to poll
        self.must_finish = False  # a payment is under way
        self.has_tickets = False
        self.sees_sold_out = self.stays_in_line = False
        self.party = PartyMember(self)
        self.updates = QueueUpdates(self)
        self.phase = ""
        self.enter_phase("away")

    # -- the visit --------------------------------------------------------------------------------

    async def run(self) -> None:
        try:
            await self.pool.wait_for_arrival(self.plan.arrival)
            person, persona = self.account.id, self.plan.persona
            self.record("arrive", self.now(), person=person, persona=persona)
            await self.use_site()
        except UserFinished as end:
            self.end(end)
        except asyncio.CancelledError:
            if self.has_tickets:
                self.end(UserFinished("bought", "has tickets"))
            else:
                self.end(UserFinished("closed", "the rehearsal was over"))
            raise

    async def use_site(self) -> None:
        if not await self.party.join():
            await self.join()
            await self.party.invite()
        while True:
            await self.wait()
            if self.sees_sold_out and self.state in WAITING:
                await self.take_standby()
            elif self.state == "READY":
                await self.claim()
            elif self.state == "ADMITTED":
                await self.purchase_class(self).run()
            elif self.state == "NONE":
                await self.join()
            else:
                raise UserFinished(*OUTCOME_OF_STATE.get(self.state, ("refused", self.state)))

    def end(self, end: UserFinished) -> None:
        now = self.now()
        self.enter_phase(end.state)
        self.record("end", now, now, state=end.state, why=end.why)

    # -- the queue --------------------------------------------------------------------------------

    @property
    def is_waiting(self) -> bool:
        return self.state in WAITING and not self.sees_sold_out

    async def join(self) -> None:
        for attempt in count():
            response = await self._ask_to_join()
            if response.is_ok:
                after = response.json().get("socket_after_ms", 0) / 1000
                self.socket_at = asyncio.get_running_loop().time() + after
                return
            if response.code == "queue_not_open" or (response.code == "queue_full" and attempt < 2):
                await self.pause(response.retry_delay(attempt, self.rng.random()))
                continue
            why = f"{response.status} {response.code} on joining"
            raise UserFinished(*OUTCOME_OF_REFUSAL.get(response.code, ("refused", why)))

    async def _ask_to_join(self) -> Response:
        if lane := self.account.lane:
            path = f"{self.queue}lanes/join/"
            return await self.ask("join", "POST", path, names=STANDING, json={"lane": lane})
        return await self.ask("join", "POST", self.queue, names=STANDING)

    async def wait(self) -> None:
        """Wait in the queue, with the breaks and the patience of the plan."""
        loop, breaks = asyncio.get_running_loop(), list(self.plan.breaks)
        give_up_at = loop.time() + self.plan.patience
        break_at = _next_break(breaks, loop.time())
        self.updates.open_tabs(self.plan.tabs if self.is_waiting else 0)
        try:
            while self.is_waiting:
                self.enter_phase(self.state.lower())
                abruptly = bool(breaks) and breaks[0].is_abrupt
                await self.updates.listen(min(give_up_at, break_at), abruptly=abruptly)
                if self.is_waiting and loop.time() >= give_up_at:
                    await self.give_up()
                if self.is_waiting and loop.time() >= break_at:
                    await self.pause(breaks.pop(0).away)
                    break_at = _next_break(breaks, loop.time())
                elif self.is_waiting:
                    await self.pause(self.updates.reconnect_delay())
        finally:
            await self.updates.close_tabs()
        self.enter_phase(self.state.lower())

    async def give_up(self) -> None:
        if not self.plan.says_goodbye:
            raise UserFinished("gave_up", "waited too long and closed the page")
        await self.ask("leave", "DELETE", self.queue, names=("was",))
        raise UserFinished("left", "did not want to wait any longer")

    async def take_standby(self) -> None:
        """Turn the place in line into one on the standby list, if the event has one."""
        path, body = f"/api/v1/events/{self.event}/standby/", {"quantity": self.plan.seats}
        response = await self.ask("standby", "POST", path, json=body)
        if response.is_ok:
            raise UserFinished("sold_out", "waits on the standby list")
        self.sees_sold_out, self.stays_in_line = False, True

    def apply_outlook(self, outlook: dict[str, Any]) -> None:
        self.sees_sold_out = bool(outlook.get("sold_out")) and not self.stays_in_line

    async def poll(self) -> Response:
        """Ask for the standing, by the queue token: far cheaper for the site than a session."""
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else self.headers
        response = await self.call("GET", f"{self.queue}{self.turn_query}", headers=headers)
        if response.status == 401 and self.token:
            self.token = ""
        self.record_response("poll", response, names=STANDING_WITH_DEADLINE)
        return response

    async def claim(self) -> None:
        await self.pause(self.plan.reaction)
        response = await self.ask(
            "claim", "POST", f"{self.queue}claim/", names=STANDING_WITH_DEADLINE
        )
        if response.is_ok:
            return
        if response.code == "too_late":
            raise UserFinished("expired", "came in too late")
        await self.poll_until_answered()

    async def poll_until_answered(self) -> None:
        """Find out the standing after an unexpected refusal."""
        while not (await self.poll()).is_ok:
            await self.pause(self.rng.uniform(1, 3))

    async def after_hold(self, held: Hold) -> None:
        """A hook for bots: seats are held and not paid yet."""

    @property
    def turn_query(self) -> str:
        """With this the site tells nothing older than what the user has seen."""
        return f"?turn={self.turn}" if self.turn else ""

    def apply_standing(self, standing: dict[str, Any]) -> None:
        turn = standing.get("turn", 0)
        self.turn = turn if standing.get("token") else max(turn, self.turn)
        self.state = standing["state"]
        self.number, self.ahead = standing.get("number") or 0, standing.get("ahead") or 0
        self.token = standing.get("token") or self.token

    # -- calls and records ------------------------------------------------------------------------

    @property
    def queue(self) -> str:
        return f"/api/v1/events/{self.event}/queue/"

    @property
    def seats(self) -> str:
        return f"/api/v1/events/{self.event}/reservations/"

    def enter_phase(self, phase: str) -> None:
        if phase != self.phase:
            self.pool.counters.change_phase(self.phase, phase)
            self.phase = phase

    async def call(self, method: str, path: str, **more: Any) -> Response:
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

    async def pause(self, seconds: float) -> None:
        """Wait; the closing of the sale ends the visit, but not in the middle of a payment."""
        if self.must_finish:
            await asyncio.sleep(seconds)
        elif await self.pool.is_closing_within(seconds):
            raise UserFinished("closed", "the line was closed")


def _next_break(breaks: list[Break], now: float) -> float:
    return now + breaks[0].after if breaks else now + FOREVER
