"""Inside: choosing seats, holding them, changing one's mind, paying, giving back."""

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ticketing.rehearsal.simulator.users.answers import Answer
from ticketing.rehearsal.simulator.users.ends import Ended
from ticketing.rehearsal.simulator.users.paying import Paying
from ticketing.rehearsal.simulator.users.seat_map import SeatMap

if TYPE_CHECKING:
    from ticketing.rehearsal.simulator.users.fan import Fan

TRIES = 25  # refused so often, anybody gives up
WAITS_WHEN_SOLD_OUT = 2
ASIDE = 8.0  # seconds after which somebody inside shows that they are still there
FASTER = frozenset({"seat_taken", "not_together"})  # others were
ELSEWHERE = frozenset({"leaves_orphan", "companion_alone"})
OVER = frozenset({"not_on_sale", "queue_not_open", "queue_over"})
Wish = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Hold:
    code: str
    seats: list[int]
    token: str


class Shopping:
    def __init__(self, fan: "Fan") -> None:
        self.fan, self.plan, self.luck = fan, fan.plan, fan.luck
        self.wanted, self.taste = fan.plan.seats, fan.plan.taste
        self.held: Hold | None = None
        self.map = SeatMap(fan)
        self.disappointments = 0

    async def go(self) -> None:
        """Comes back only if it is not this person's turn after all."""
        try:
            if held := await self.decide():
                await self.pay(held)
        except Ended as end:
            await self.tidy_up(end)
            raise

    async def decide(self) -> Hold | None:
        """On the page with the map, which is open until there is nothing more to choose."""
        self.fan.at("inside")
        self.map.open()
        try:
            held = await self.hold()
            for _ in range(self.plan.changes_of_mind if held else 0):
                await self.linger(self.plan.thinking)
                await self.release()
                held = await self.hold()
            return held
        finally:
            await self.map.close()

    async def pay(self, held: Hold) -> None:
        self.fan.at("holding")
        await self.fan.with_seats(held)
        await self.linger(self.plan.pays_after)
        if not self.fan.crowd.takes_payments:
            raise Ended("left", "this site charges real cards, so nobody pays")
        await Paying(self.fan, held.code, held.token).go()

    # -- seats ------------------------------------------------------------------------------------

    async def hold(self) -> Hold | None:
        self.fan.at("inside")
        for _ in range(TRIES):
            await self.linger(self.plan.thinking)
            wish = await self.choose()
            if wish is None:
                await self.hope()
                continue
            answer = await self.click(wish)
            if answer.is_good:
                body = answer.json()
                seats = [seat["id"] for seat in body["seats"]]
                self.held = Hold(body["code"], seats, body.get("payment_token") or "")
                return self.held
            if not await self.goes_on_after(answer):
                return None
        raise Ended("gave_up", "others were faster, again and again")

    async def choose(self) -> Wish | None:
        """Nothing, if the map shows nothing that is free."""
        states, hall = await self.map.states(), self.fan.crowd.hall
        if hall is None or not states:
            return None
        if hall.floors and (not hall.has_seats or self.luck.random() < 0.2):
            return {"places": {"section": self.luck.choice(hall.floors), "quantity": self.wanted}}
        popular = self.taste == "popular"
        for wanted in range(self.wanted, 0, -1):
            if seats := hall.choose(states, wanted, self.luck, popular=popular):
                grade = hall.grade_of(seats[0])
                best = {"best": {"grade": grade, "quantity": wanted}}
                return best if self.taste == "best" else {"seats": seats}
        return None

    async def click(self, wish: Wish) -> Answer:
        """Once, or several times at once, all with the same key."""
        key = str(uuid4())
        clicks = (self._hold(wish, key) for _ in range(self.plan.clicks))
        answers = await asyncio.gather(*clicks)
        return next((answer for answer in answers if answer.is_good), answers[0])

    async def _hold(self, wish: Wish, key: str) -> Answer:
        fan = self.fan
        path = f"/api/v1/events/{fan.event}/reservations/"
        is_shown = self.map.is_true and "seats" in wish
        attempt, shown = 0, dict[str, Any](map="live") if is_shown else {}
        while True:
            answer = await fan.call("POST", path, json=wish, headers=fan.own | _key(key))
            fan.keep("hold", answer, **_seen(wish, answer), **shown)
            if not answer.says_wait:
                return answer
            await fan.pause(answer.wait_seconds(attempt, self.luck.random()))
            attempt, shown = attempt + 1, {}  # by now the map may show something else

    async def release(self) -> None:
        if self.held:
            held, self.held = self.held, None
            path = f"/api/v1/events/{self.fan.event}/reservations/{held.code}/"
            await self.fan.ask("release", "DELETE", path, saw={"reservation": held.code})

    async def tidy_up(self, end: Ended) -> None:
        """Who has made up their mind keeps no seats and no room from others; who quits may."""
        fan = self.fan
        if self.held and end.state in ("closed", "declined", "left"):
            path = f"/api/v1/events/{fan.event}/reservations/{self.held.code}/"
            fan.keep("release", await fan.call("DELETE", path), reservation=self.held.code)
        if end.state in ("declined", "left", "sold_out"):
            fan.keep("leave", await fan.call("DELETE", fan.queue), names=("was",))

    # -- refusals ---------------------------------------------------------------------------------

    async def goes_on_after(self, answer: Answer) -> bool:
        """Whether to choose again; False: it is not this person's turn."""
        code = answer.code
        if code == "not_admitted":
            return await self.still_inside()
        if code in ("sold_out", "not_enough_places"):
            await self.hope()
        elif code in ELSEWHERE:
            self.taste = "best"
        elif code == "too_many_seats":
            self.wants_only(int(answer.json()["details"].get("left", 0)))
        elif code in OVER:
            raise Ended("closed", "the sale was over")
        elif code in FASTER:
            self.map.lost(answer.json()["details"].get("seats") or [])
        else:
            raise Ended("refused", f"{answer.status} {code} on holding seats")
        return True

    def wants_only(self, seats: int) -> None:
        if not seats:
            raise Ended("refused", "has as many seats as one person may have")
        self.wanted = seats

    async def hope(self) -> None:
        """Seats that others hold may come back."""
        self.disappointments += 1
        if self.disappointments > WAITS_WHEN_SOLD_OUT:
            raise Ended("sold_out", "there was nothing left to hold")
        await self.linger(self.luck.uniform(2, 10) * self.fan.crowd.sale.hurry)

    async def still_inside(self) -> bool:
        await self.fan.look_again()
        if self.fan.state in ("EXPIRED", "LEFT", "NONE", "COMPLETED"):
            raise Ended("expired", "their time inside was up")
        return self.fan.state == "ADMITTED"

    async def linger(self, seconds: float) -> None:
        """Inside, asking now and then: that renews the pass."""
        while seconds > ASIDE:
            await self.fan.pause(ASIDE)
            await self.fan.look()
            seconds -= ASIDE
        await self.fan.pause(seconds)


def _key(key: str) -> dict[str, str]:
    return {"Idempotency-Key": key}


def _seen(wish: Wish, answer: Answer) -> dict[str, Any]:
    saw: dict[str, Any] = {"asked": wish.get("seats", wish)}
    body = answer.json() if answer.status else {}
    if answer.is_good:
        saw |= {
            "reservation": body["code"],
            "seats": [seat["id"] for seat in body["seats"]],
            "deadline": body["deadline"],
            "server_time": body["server_time"],
        }
    elif answer.code == "seat_taken":
        saw["taken"] = body["details"].get("seats", [])
    return saw
