"""One of the people: comes, waits, is called, and goes shopping."""

import asyncio
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import TYPE_CHECKING, Any

from ticketing.rehearsal.simulator.history import Deed
from ticketing.rehearsal.simulator.users.answers import DATED, PLACE, Answer, place_in
from ticketing.rehearsal.simulator.users.characters import FOREVER, Break, Plan
from ticketing.rehearsal.simulator.users.ends import Ended
from ticketing.rehearsal.simulator.users.line import Line
from ticketing.rehearsal.simulator.users.shopping import Hold, Shopping

if TYPE_CHECKING:
    from ticketing.rehearsal.simulator.users.crowd import Crowd

WAITING = frozenset({"LOBBY", "WAITING"})
SAMPLED = 20  # of every so many people everything that they are told is kept
AFTER_THE_END = {
    "EXPIRED": ("expired", "they did not come in in time"),
    "CLOSED": ("closed", "the line was closed"),
    "BLOCKED": ("refused", "an operator moved them out"),
    "COMPLETED": ("bought", "the line says that they are done"),
    "LEFT": ("left", "the line says that they left"),
}
REFUSED = {
    "queue_over": ("closed", "the line was closed before they came"),
    "queue_full": ("turned_away", "the line was full"),
    "blocked": ("refused", "they were blocked"),
}


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody who is logged in."""

    id: int
    session: str


class Fan:
    def __init__(self, crowd: "Crowd", plan: Plan, account: Account) -> None:
        self.crowd, self.plan, self.account = crowd, plan, account
        self.door, self.now, self.event = crowd.door, crowd.now, crowd.event
        self.luck = Random(f"{crowd.seed}/{plan.number}/on the way")  # noqa: S311 - a play
        self.home = plan.number // 3
        self.own = {"Cookie": f"{crowd.cookie}={account.session}", "Origin": self.door.origin}
        self.is_sampled = plan.number % SAMPLED == 0
        self.state, self.token = "NONE", ""
        self.number = self.ahead = 0
        self.must_finish = False  # money is on its way: nobody walks off now
        self.has_tickets = False
        self.line = Line(self)
        self.stage = ""
        self.at("away")

    # -- the way through --------------------------------------------------------------------------

    async def live(self) -> None:
        try:
            await self.crowd.until(self.plan.arrival)
            person, character = self.account.id, self.plan.character
            self.record("arrive", self.now(), person=person, character=character)
            await self.visit()
        except Ended as end:
            self.end(end)
        except asyncio.CancelledError:
            why = "the rehearsal was over"
            self.end(Ended("bought", "has tickets") if self.has_tickets else Ended("closed", why))
            raise

    async def visit(self) -> None:
        await self.join()
        while True:
            await self.wait()
            if self.state == "READY":
                await self.claim()
            elif self.state == "ADMITTED":
                await Shopping(self).go()
            elif self.state == "NONE":
                await self.join()
            else:
                raise Ended(*AFTER_THE_END.get(self.state, ("refused", self.state)))

    def end(self, end: Ended) -> None:
        now = self.now()
        self.at(end.state)
        self.record("end", now, now, state=end.state, why=end.why)

    # -- the line ---------------------------------------------------------------------------------

    @property
    def is_waiting(self) -> bool:
        return self.state in WAITING

    async def join(self) -> None:
        for attempt in count():
            answer = await self.ask("join", "POST", self.queue, names=PLACE)
            if answer.is_good:
                return
            if answer.code == "queue_not_open" or (answer.code == "queue_full" and attempt < 2):
                await self.pause(answer.wait_seconds(attempt, self.luck.random()))
                continue
            said = f"{answer.status} {answer.code} on joining"
            raise Ended(*REFUSED.get(answer.code, ("refused", said)))

    async def wait(self) -> None:
        """In line, with all that happens to people meanwhile."""
        loop, breaks = asyncio.get_running_loop(), list(self.plan.breaks)
        tired_at = loop.time() + self.plan.patience
        break_at = _next(breaks, loop.time())
        self.line.open_tabs(self.plan.tabs if self.is_waiting else 0)
        try:
            while self.is_waiting:
                self.at(self.state.lower())
                abruptly = bool(breaks) and breaks[0].is_abrupt
                await self.line.listen(min(tired_at, break_at), abruptly=abruptly)
                if self.is_waiting and loop.time() >= tired_at:
                    await self.go_away()
                if self.is_waiting and loop.time() >= break_at:
                    await self.pause(breaks.pop(0).away)
                    break_at = _next(breaks, loop.time())
                elif self.is_waiting:
                    await self.pause(self.line.wait_before_trying_again())
        finally:
            await self.line.close_tabs()
        self.at(self.state.lower())

    async def go_away(self) -> None:
        if not self.plan.says_goodbye:
            raise Ended("gave_up", "waited too long and closed the page")
        await self.ask("leave", "DELETE", self.queue, names=("was",))
        raise Ended("left", "did not want to wait any longer")

    async def look(self) -> Answer:
        """A queue token is far cheaper for the site than a session."""
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else self.own
        answer = await self.call("GET", self.queue, headers=headers)
        if answer.status == 401 and self.token:
            self.token = ""
        self.keep("look", answer, names=DATED)
        return answer

    async def claim(self) -> None:
        await self.pause(self.plan.reaction)
        answer = await self.ask("claim", "POST", f"{self.queue}claim/", names=DATED)
        if answer.is_good:
            return
        if answer.code == "too_late":
            raise Ended("expired", "came in too late")
        await self.look_again()

    async def look_again(self) -> None:
        """What is so now, after something that was not expected."""
        while not (await self.look()).is_good:
            await self.pause(self.luck.uniform(1, 3))

    async def with_seats(self, held: Hold) -> None:
        """Seats are held, and not yet paid."""

    def learn(self, standing: dict[str, Any]) -> None:
        self.state = standing["state"]
        self.number, self.ahead = standing.get("number") or 0, standing.get("ahead") or 0
        self.token = standing.get("token") or self.token

    # -- calls and records ------------------------------------------------------------------------

    @property
    def queue(self) -> str:
        return f"/api/v1/events/{self.event}/queue/"

    def at(self, stage: str) -> None:
        if stage != self.stage:
            self.crowd.tally.moved(self.stage, stage)
            self.stage = stage

    async def call(self, method: str, path: str, **more: Any) -> Answer:
        more.setdefault("headers", self.own)
        return await self.door.call(method, path, home=self.home, **more)

    async def ask(
        self,
        did: str,
        method: str,
        path: str,
        *,
        names: tuple[str, ...] = (),
        saw: dict[str, Any] | None = None,
        **more: Any,
    ) -> Answer:
        """Until there is an answer that is not “wait”; everybody does as they are told."""
        for attempt in count():
            answer = await self.call(method, path, **more)
            self.keep(did, answer, names=names, **(saw or {}))
            if not answer.says_wait:
                break
            await self.pause(answer.wait_seconds(attempt, self.luck.random()))
        return answer

    def keep(self, did: str, answer: Answer, *, names: tuple[str, ...] = (), **saw: Any) -> None:
        """Write an answer down, and take from it what it says of the place in line."""
        body = answer.json() if names or not answer.is_good else {}
        if answer.is_good and "state" in body and names in (PLACE, DATED):
            self.learn(body)
        seen = place_in(body, names) if answer.is_good else {}
        code = answer.code
        self.record(did, answer.began, answer.ended, status=answer.status, code=code, **saw, **seen)

    def record(
        self,
        did: str,
        began: float,
        ended: float | None = None,
        *,
        status: int = 200,
        code: str = "",
        **saw: Any,
    ) -> None:
        ended = self.now() if ended is None else ended
        self.crowd.record(Deed(self.plan.number, did, began, ended, status, code, saw))

    async def pause(self, seconds: float) -> None:
        """People stop when the line is closed, but not in the middle of paying."""
        if self.must_finish:
            await asyncio.sleep(seconds)
        elif await self.crowd.is_closing_within(seconds):
            raise Ended("closed", "the line was closed")


def _next(breaks: list[Break], now: float) -> float:
    return now + breaks[0].after if breaks else now + FOREVER
