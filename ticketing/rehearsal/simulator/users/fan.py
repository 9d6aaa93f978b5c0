"""One simulated user: arrives, waits in the queue, comes in and buys."""

import asyncio
from itertools import count
from typing import TYPE_CHECKING, Any

from ticketing.rehearsal.simulator.users.outcomes import UserFinished
from ticketing.rehearsal.simulator.users.parties import PartyMember
from ticketing.rehearsal.simulator.users.personas import FOREVER, Break, Plan
from ticketing.rehearsal.simulator.users.purchase import Hold, Purchase
from ticketing.rehearsal.simulator.users.queue_updates import QueueUpdates
from ticketing.rehearsal.simulator.users.responses import (
    STANDING,
    STANDING_WITH_DEADLINE,
    Response,
)
from ticketing.rehearsal.simulator.users.site_user import Account, SiteUser

if TYPE_CHECKING:
    from ticketing.rehearsal.simulator.users.user_pool import UserPool

WAITING = frozenset({"LOBBY", "WAITING"})
SAMPLED = 20  # one user in so many records every frame
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


class Fan(SiteUser):
    """Waits, comes in and buys as their plan says."""

    purchase_class = Purchase

    def __init__(self, pool: "UserPool", plan: Plan, account: Account) -> None:
        super().__init__(pool, plan, account)
        self.is_sampled = plan.number % SAMPLED == 0
        self.socket_at = 0.0  # by the event loop's clock: until then the site asks to poll
        self.has_tickets = False
        self.sees_sold_out = self.stays_in_line = False
        self.party = PartyMember(self)
        self.updates = QueueUpdates(self)

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
                await self.join_again()
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

    async def join_again(self) -> None:
        """Ask by the queue token first, as the page does: it restores a place lost with Redis."""
        if self.token:
            await self.poll_until_answered()
        if self.state == "NONE":
            self.token = ""
            await self.join()

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


def _next_break(breaks: list[Break], now: float) -> float:
    return now + breaks[0].after if breaks else now + FOREVER
