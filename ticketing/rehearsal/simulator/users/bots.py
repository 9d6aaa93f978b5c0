"""Bots, which try to cheat. All their attacks are recorded, and must be refused."""

import asyncio
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ticketing.rehearsal.simulator.users.fan import Fan
from ticketing.rehearsal.simulator.users.personas import HOARDER, Plan
from ticketing.rehearsal.simulator.users.purchase import Hold, Purchase
from ticketing.rehearsal.simulator.users.responses import STANDING, STANDING_WITH_DEADLINE
from ticketing.rehearsal.simulator.users.seat_map import SeatMap
from ticketing.rehearsal.simulator.users.site_user import Account

if TYPE_CHECKING:
    from ticketing.rehearsal.simulator.users.user_pool import UserPool

CUSTOMER_SHARE = 0.3  # how often a hoarder has a buyer for what it holds
# With so many people ahead nobody's turn comes while a request is under way.
FAR_PEOPLE, FAR_SECONDS, LONGEST_CALL = 50, 20, 10.0
POLLS, SIMULTANEOUS_JOINS = 40, 8
WEBHOOK_HEADERS = {
    "webhook-id": "made-up",
    "webhook-timestamp": "1700000000",
    "webhook-signature": "v1,bm90IHNpZ25lZCBieSBhbnlib2R5IHRoYXQgd2Uga25vdw==",
}
WEBHOOK_BODY = {"type": "Transaction.Paid", "timestamp": "2024-01-01T00:00:00Z", "data": {}}


class HoardingPurchase(Purchase):
    """Holds the best seats, lets them run out and holds again, until it has found a customer."""

    async def pay(self, held: Hold) -> None:
        while self.plan.persona == HOARDER and self.rng.random() > CUSTOMER_SHARE:
            await self.stay_inside(self.fan.pool.sale.hold_seconds + 1)
            again = await self.hold()
            if again is None:
                return
            held = again
        await super().pay(held)


class Bot(Fan):
    """Attacks while waiting and while holding seats, and otherwise buys like a fan.

    It solves every challenge, and comes from one of many addresses in a few ranges.
    """

    purchase_class = HoardingPurchase

    def __init__(self, pool: "UserPool", plan: Plan, account: Account) -> None:
        super().__init__(pool, plan, account)
        self.ip_index = -1 - plan.number

    async def join(self) -> None:
        await super().join()
        if self.is_waiting:
            await self.attack_queue()

    async def attack_queue(self) -> None:
        match self.plan.persona:
            case "bot that forges":
                await self.forge()
            case "bot that skips":
                await self.skip_queue()
            case "bot that hammers":
                await self.hammer()

    async def after_hold(self, held: Hold) -> None:
        """Attack the payment with forged tokens and with those of other bots."""
        await self.misuse_payment_tokens(held)
        self.pool.other_holds.append((self.plan.number, held))

    # -- attacks ----------------------------------------------------------------------------------

    async def forge(self) -> None:
        bearer = {"Authorization": f"Bearer {tampered(self.token)}"}
        made_up = {"Authorization": f"Bearer qr_{self.rng.getrandbits(200):x}"}
        nobody = self.headers | {"Cookie": f"{self.pool.cookie}={self.rng.getrandbits(160):032x}"}
        foreign = self.headers | {"Origin": "https://evil.example"}
        claim = f"{self.queue}claim/"
        for what, method, path, headers in (
            ("a queue token that was changed", "GET", self.queue, bearer),
            ("coming in with a queue token that was changed", "POST", claim, bearer),
            ("a queue token that was made up", "GET", self.queue, made_up),
            ("a session that nobody has", "GET", self.queue, nobody),
            ("joining from another site", "POST", self.queue, foreign),
        ):
            await self.attack("forge", what, method, path, headers=headers)
        seats, waiting = self.seats, {"Authorization": f"Bearer {self.token}"}
        what, seat = "holding seats with a token that is no pass", self.any_seat()
        await self.attack("forge", what, "POST", seats, headers=waiting, json=seat)
        hook = "/payments/webhooks/portone/"
        what = "a webhook that the gateway did not sign"
        await self.attack("forge", what, "POST", hook, headers=WEBHOOK_HEADERS, json=WEBHOOK_BODY)
        await self.replay_old_token()

    async def replay_old_token(self) -> None:
        """Leave, join again, and use the old token; rejoining the lobby would give the same one."""
        if self.state != "WAITING":
            return
        earlier, number = self.token, self.number
        await self.ask("leave", "DELETE", self.queue, names=("was",))
        await super().join()
        if not earlier or self.number in (0, number):
            return
        old = {"Authorization": f"Bearer {earlier}"}
        for what, method, path in (
            ("coming in with the token of an earlier stay", "POST", f"{self.queue}claim/"),
            ("leaving with the token of an earlier stay", "DELETE", self.queue),
        ):
            await self.attack("replay", what, method, path, headers=old)

    async def skip_queue(self) -> None:
        await SeatMap(self).states()
        grades = self.pool.layout.grades if self.pool.layout else [""]
        best = {"best": {"grade": grades[0], "quantity": 1}}
        for _ in range(3):
            await self.skip("claim", "coming in before one's turn", f"{self.queue}claim/")
            await self.skip(
                "hold", "holding seats without a turn", self.seats, json=self.any_seat()
            )
            await self.skip("hold", "holding the best without a turn", self.seats, json=best)
            await self.pause(self.rng.uniform(0.5, 2))

    def any_seat(self) -> dict[str, Any]:
        layout = self.pool.layout
        seat = layout.blocks[0].ids[0] if layout and layout.has_seats else 1
        return {"seats": [seat]}

    async def hammer(self) -> None:
        """Join and poll far too often: allowed, and without an advantage."""
        joins = (self.call("POST", self.queue) for _ in range(SIMULTANEOUS_JOINS))
        for response in await asyncio.gather(*joins):
            self.record_response("join", response, names=STANDING)
        for _ in range(POLLS):
            response = await self.call("GET", self.queue)
            self.record_response("poll", response, names=STANDING_WITH_DEADLINE)
            if not self.is_waiting:
                return

    async def misuse_payment_tokens(self, held: Hold) -> None:
        def body(code: str, token: str) -> dict[str, str]:
            return {"reservation": code, "token": token, "payment_key": str(uuid4())}

        pay, what = "/api/v1/payments/", "paying with a token that was changed"
        forged = body(held.code, tampered(held.token))
        await self.attack("forge", what, "POST", pay, json=forged)
        for owner, other in self.pool.other_holds[-3:]:
            if owner != self.plan.number:
                theirs, mixed = body(other.code, other.token), body(held.code, other.token)
                what = "paying for another person's seats"
                await self.attack("replay", what, "POST", pay, json=theirs)
                what = "paying with another person's token"
                await self.attack("replay", what, "POST", pay, json=mixed)
                release = f"/api/v1/events/{self.event}/reservations/{other.code}/"
                await self.attack("replay", "giving back another person's seats", "DELETE", release)

    # -- recorded calls ---------------------------------------------------------------------------

    async def attack(self, action: str, what: str, method: str, path: str, **more: Any) -> None:
        response = await self.call(method, path, **more)
        status, code = response.status, response.code
        self.record(action, response.began, response.ended, status=status, code=code, what=what)

    async def skip(self, action: str, what: str, path: str, **more: Any) -> None:
        """Record an attack only if it cannot have been the bot's turn."""
        if not self.is_far_back:
            return
        response = await self.call("POST", path, **more)
        if self.is_far_back and response.ended - response.began < LONGEST_CALL:
            status, code = response.status, response.code
            self.record("skip", response.began, response.ended, status=status, code=code, what=what)
        elif action == "claim":
            self.record_response(action, response, names=STANDING_WITH_DEADLINE)

    @property
    def is_far_back(self) -> bool:
        if self.state == "LOBBY":
            return not self.pool.is_opening
        rate = self.pool.rate
        # Half of those ahead may be bots, which the site may move to the end at any moment.
        far = 2 * (FAR_PEOPLE + FAR_SECONDS * rate)
        is_moving = self.pool.closing.is_set() or not rate
        return self.state == "WAITING" and not is_moving and self.ahead > far


def tampered(token: str) -> str:
    """The token with one letter in the middle changed."""
    middle = len(token) // 2
    other = "A" if token[middle : middle + 1] != "A" else "B"
    return token[:middle] + other + token[middle + 1 :]
