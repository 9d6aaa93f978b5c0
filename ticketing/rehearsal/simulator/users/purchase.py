"""A user inside: chooses seats, holds them, changes their mind, pays."""

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ticketing.rehearsal.simulator.users.checkout import Checkout
from ticketing.rehearsal.simulator.users.outcomes import UserFinished
from ticketing.rehearsal.simulator.users.responses import Response
from ticketing.rehearsal.simulator.users.seat_map import SeatMap

if TYPE_CHECKING:
    from ticketing.rehearsal.simulator.users.fan import Fan

MAX_TRIES = 25  # refused holds before a user gives up
MAX_WAITS_FOR_SEATS = 2
RENEW_SECONDS = 8.0  # between polls that renew the pass
TAKEN_BY_OTHERS = frozenset({"seat_taken", "not_together"})
BREAKS_SEAT_RULE = frozenset({"leaves_orphan", "companion_alone"})
SALE_OVER = frozenset({"not_on_sale", "queue_not_open", "queue_over"})
HoldBody = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Hold:
    code: str
    seats: list[int]
    token: str


class Purchase:
    def __init__(self, fan: "Fan") -> None:
        self.fan, self.plan, self.rng = fan, fan.plan, fan.rng
        self.wanted, self.seat_strategy = fan.plan.seats, fan.plan.seat_strategy
        self.held: Hold | None = None
        self.map = SeatMap(fan)
        self.waits_for_seats = 0

    async def run(self) -> None:
        """Buy; returns only if the user has to go back to the queue."""
        try:
            if held := await self.choose_and_hold():
                await self.pay(held)
        except UserFinished as end:
            await self.give_everything_back(end)
            raise

    async def choose_and_hold(self) -> Hold | None:
        """Hold seats with the seat map open, and change one's mind as often as planned."""
        self.fan.enter_phase("inside")
        self.map.open()
        try:
            held = await self.hold()
            for _ in range(self.plan.changes_of_mind if held else 0):
                await self.stay_inside(self.plan.thinking)
                await self.release()
                held = await self.hold()
            return held
        finally:
            await self.map.close()

    async def pay(self, held: Hold) -> None:
        self.fan.enter_phase("holding")
        await self.fan.after_hold(held)
        await self.stay_inside(self.plan.pays_after)
        if not self.fan.pool.takes_payments:
            raise UserFinished("left", "this site charges real cards, so nobody pays")
        await Checkout(self.fan, held.code, held.token).run()

    # -- seats ------------------------------------------------------------------------------------

    async def hold(self) -> Hold | None:
        self.fan.enter_phase("inside")
        for _ in range(MAX_TRIES):
            await self.stay_inside(self.plan.thinking)
            hold_body = await self.next_hold()
            if hold_body is None:
                await self.wait_for_seats()
                continue
            response = await self.send_hold(hold_body)
            if response.is_ok:
                body = response.json()
                seats = [seat["id"] for seat in body["seats"]]
                self.held = Hold(body["code"], seats, body.get("payment_token") or "")
                return self.held
            if not await self.handle_refusal(response):
                return None
        raise UserFinished("gave_up", "others were faster, again and again")

    async def next_hold(self) -> HoldBody | None:
        """The body of the next hold, or None if the map shows nothing free."""
        states, layout = await self.map.states(), self.fan.pool.layout
        if layout is None or not states:
            return None
        if layout.standing_sections and (not layout.has_seats or self.rng.random() < 0.2):
            section = self.rng.choice(layout.standing_sections)
            return {"places": {"section": section, "quantity": self.wanted}}
        popular = self.seat_strategy == "popular"
        for wanted in range(self.wanted, 0, -1):
            if seats := layout.choose(states, wanted, self.rng, popular=popular):
                grade = layout.grade_of(seats[0])
                best = {"best": {"grade": grade, "quantity": wanted}}
                return best if self.seat_strategy == "best" else {"seats": seats}
        return None

    async def send_hold(self, hold_body: HoldBody) -> Response:
        """Send a hold, as often at once as the user clicks, with one idempotency key."""
        key = str(uuid4())
        clicks = (self._hold(hold_body, key) for _ in range(self.plan.clicks))
        responses = await asyncio.gather(*clicks)
        return next((response for response in responses if response.is_ok), responses[0])

    async def _hold(self, hold_body: HoldBody, key: str) -> Response:
        fan = self.fan
        headers = fan.headers | {"Idempotency-Key": key}
        is_shown = self.map.is_current and "seats" in hold_body
        # Chosen now; a rehearsal with few calls at a time may send it much later.
        attempt, shown = 0, dict[str, Any](map="live", chosen=fan.now()) if is_shown else {}
        while True:
            with fan.recorded_if_stopped("hold", asked=hold_body.get("seats", hold_body)):
                response = await fan.call("POST", fan.seats, json=hold_body, headers=headers)
            fan.record_response("hold", response, **_recorded(hold_body, response), **shown)
            if not response.asks_to_retry:
                return response
            await fan.pause(response.retry_delay(attempt, self.rng.random()))
            attempt, shown = attempt + 1, {}  # by now the map may have changed

    async def release(self) -> None:
        if self.held:
            held, self.held = self.held, None
            path = f"/api/v1/events/{self.fan.event}/reservations/{held.code}/"
            await self.fan.ask("release", "DELETE", path, record_data={"reservation": held.code})

    async def give_everything_back(self, end: UserFinished) -> None:
        """Release seats and leave the queue; users who just quit do neither."""
        fan = self.fan
        if self.held and end.state in ("closed", "declined", "left"):
            code = self.held.code
            path = f"/api/v1/events/{fan.event}/reservations/{code}/"
            with fan.recorded_if_stopped("release", reservation=code):
                response = await fan.call("DELETE", path)
            fan.record_response("release", response, reservation=code)
        if end.state in ("declined", "left", "sold_out"):
            with fan.recorded_if_stopped("leave"):
                response = await fan.call("DELETE", fan.queue)
            fan.record_response("leave", response, names=("was",))

    # -- refusals ---------------------------------------------------------------------------------

    async def handle_refusal(self, response: Response) -> bool:
        """Whether to choose again; False if the user is not inside any more."""
        code = response.code
        if code == "not_admitted":
            return await self.still_inside()
        if code == "pass_elsewhere":  # a lost answer had the cookie of this browser
            await self.fan.ask("take_over", "POST", f"{self.fan.queue}take-over/")
            return True
        if code in ("sold_out", "not_enough_places"):
            await self.wait_for_seats()
        elif code in BREAKS_SEAT_RULE:
            self.seat_strategy = "best"
        elif code == "too_many_seats":
            self.limit_wanted(int(response.json()["details"].get("left", 0)))
        elif code in SALE_OVER:
            raise UserFinished("closed", "the sale was over")
        elif code in TAKEN_BY_OTHERS:
            self.map.mark_taken(response.json()["details"].get("seats") or [])
        else:
            raise UserFinished("refused", f"{response.status} {code} on holding seats")
        return True

    def limit_wanted(self, seats: int) -> None:
        if not seats and self.fan.party.has_joined:
            raise UserFinished("left", "their party has all its seats")
        if not seats:
            raise UserFinished("refused", "has as many seats as one person may have")
        self.wanted = seats

    async def wait_for_seats(self) -> None:
        """Wait for seats that others give back."""
        self.waits_for_seats += 1
        if self.waits_for_seats > MAX_WAITS_FOR_SEATS:
            raise UserFinished("sold_out", "there was nothing left to hold")
        await self.stay_inside(self.rng.uniform(2, 10) * self.fan.pool.sale.time_factor)

    async def still_inside(self) -> bool:
        await self.fan.poll_until_answered()
        if self.fan.state in ("EXPIRED", "LEFT", "NONE", "COMPLETED"):
            raise UserFinished("expired", "their time inside was up")
        return self.fan.state == "ADMITTED"

    async def stay_inside(self, seconds: float) -> None:
        """Wait inside, with polls that renew the pass."""
        while seconds > RENEW_SECONDS:
            await self.fan.pause(RENEW_SECONDS)
            await self.fan.poll()
            seconds -= RENEW_SECONDS
        await self.fan.pause(seconds)


def _recorded(hold_body: HoldBody, response: Response) -> dict[str, Any]:
    data: dict[str, Any] = {"asked": hold_body.get("seats", hold_body)}
    body = response.json() if response.status else {}
    if response.is_ok:
        data |= {
            "reservation": body["code"],
            "seats": [seat["id"] for seat in body["seats"]],
            "deadline": body["deadline"],
            "server_time": body["server_time"],
        }
    elif response.code == "seat_taken":
        data["taken"] = body["details"].get("seats", [])
    return data
