"""Those who want more than their turn. Whatever they try is written down, and must be refused."""

import asyncio
from typing import Any
from uuid import uuid4

from ticketing.rehearsal.simulator.users.answers import DATED, PLACE, Answer
from ticketing.rehearsal.simulator.users.fan import Fan
from ticketing.rehearsal.simulator.users.seat_map import SeatMap
from ticketing.rehearsal.simulator.users.shopping import Hold

# So far back nobody can be called while a request is under way.
FAR_PEOPLE, FAR_SECONDS, LONGEST_CALL = 50, 20, 10.0
HAMMERING, AT_ONCE = 40, 8
WEBHOOK = {
    "webhook-id": "made-up",
    "webhook-timestamp": "1700000000",
    "webhook-signature": "v1,bm90IHNpZ25lZCBieSBhbnlib2R5IHRoYXQgd2Uga25vdw==",
}
TAKEN_AS_REPLY = {"type": "Transaction.Paid", "timestamp": "2024-01-01T00:00:00Z", "data": {}}


class Bot(Fan):
    """Tries its tricks in line and with seats in hand, and buys like the others in between."""

    async def join(self) -> None:
        await super().join()
        if self.is_waiting:
            await self.try_in_line()

    async def try_in_line(self) -> None:
        match self.plan.character:
            case "bot that forges":
                await self.forge()
            case "bot that skips":
                await self.skip_the_line()
            case "bot that hammers":
                await self.hammer()

    async def with_seats(self, held: Hold) -> None:
        """Seats are held: now with other people's things, and with things made up."""
        await self.misuse_payment_tokens(held)
        self.crowd.loot.append((self.plan.number, held))

    # -- tricks -----------------------------------------------------------------------------------

    async def forge(self) -> None:
        bearer = {"Authorization": f"Bearer {spoilt(self.token)}"}
        made_up = {"Authorization": f"Bearer qr_{self.luck.getrandbits(200):x}"}
        nobody = self.own | {"Cookie": f"{self.crowd.cookie}={self.luck.getrandbits(160):032x}"}
        foreign = self.own | {"Origin": "https://evil.example"}
        claim = f"{self.queue}claim/"
        for what, method, path, headers in (
            ("a queue token that was changed", "GET", self.queue, bearer),
            ("coming in with a queue token that was changed", "POST", claim, bearer),
            ("a queue token that was made up", "GET", self.queue, made_up),
            ("a session that nobody has", "GET", self.queue, nobody),
            ("joining from another site", "POST", self.queue, foreign),
        ):
            await self.attack("forge", what, method, path, headers=headers)
        hook = "/payments/webhooks/portone/"
        what = "a webhook that the gateway did not sign"
        await self.attack("forge", what, "POST", hook, headers=WEBHOOK, json=TAKEN_AS_REPLY)
        await self.replay_an_earlier_stay()

    async def replay_an_earlier_stay(self) -> None:
        """In the lobby there is nothing to replay: coming back to it brings the same token."""
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

    async def skip_the_line(self) -> None:
        await SeatMap(self).states()
        grades = self.crowd.hall.grades if self.crowd.hall else [""]
        best = {"best": {"grade": grades[0], "quantity": 1}}
        seats = f"/api/v1/events/{self.event}/reservations/"
        for _ in range(3):
            await self.skip("claim", "coming in before one's turn", f"{self.queue}claim/")
            await self.skip("hold", "holding seats without a turn", seats, json=self.any_seat())
            await self.skip("hold", "holding the best without a turn", seats, json=best)
            await self.pause(self.luck.uniform(0.5, 2))

    def any_seat(self) -> dict[str, Any]:
        hall = self.crowd.hall
        known = hall.stretches[0].ids[0] if hall and hall.has_seats else 1
        return {"seats": [known]}

    async def hammer(self) -> None:
        """Much too often, and many at once: allowed, and of no use."""
        joins = (self.call("POST", self.queue) for _ in range(AT_ONCE))
        for answer in await asyncio.gather(*joins):
            self.keep("join", answer, names=PLACE)
        for _ in range(HAMMERING):
            self.keep("look", await self.call("GET", self.queue), names=DATED)
            if not self.is_waiting:
                return

    async def misuse_payment_tokens(self, held: Hold) -> None:
        def wish(code: str, token: str) -> dict[str, str]:
            return {"reservation": code, "token": token, "payment_key": str(uuid4())}

        pay, words = "/api/v1/payments/", "paying with a token that was changed"
        forged = wish(held.code, spoilt(held.token))
        await self.attack("forge", words, "POST", pay, json=forged)
        for owner, other in self.crowd.loot[-3:]:
            if owner != self.plan.number:
                theirs, mixed = wish(other.code, other.token), wish(held.code, other.token)
                words = "paying for another person's seats"
                await self.attack("replay", words, "POST", pay, json=theirs)
                words = "paying with another person's token"
                await self.attack("replay", words, "POST", pay, json=mixed)
                away = f"/api/v1/events/{self.event}/reservations/{other.code}/"
                await self.attack("replay", "giving back another person's seats", "DELETE", away)

    # -- how they are tried -----------------------------------------------------------------------

    async def attack(self, did: str, what: str, method: str, path: str, **more: Any) -> Answer:
        answer = await self.call(method, path, **more)
        status, code = answer.status, answer.code
        self.record(did, answer.began, answer.ended, status=status, code=code, what=what)
        return answer

    async def skip(self, did: str, what: str, path: str, **more: Any) -> None:
        """Only an attack if it can't have been one's turn; otherwise it is like anybody's call."""
        if not self.is_far_back:
            return
        answer = await self.call("POST", path, **more)
        if self.is_far_back and answer.ended - answer.began < LONGEST_CALL:
            status, code = answer.status, answer.code
            self.record("skip", answer.began, answer.ended, status=status, code=code, what=what)
        elif did == "claim":
            self.keep(did, answer, names=DATED)

    @property
    def is_far_back(self) -> bool:
        if self.state == "LOBBY":
            return not self.crowd.is_opening
        rate = self.crowd.rate
        far = FAR_PEOPLE + FAR_SECONDS * rate
        is_moving = self.crowd.closing.is_set() or not rate
        return self.state == "WAITING" and not is_moving and self.ahead > far


def spoilt(token: str) -> str:
    """With one letter in the middle changed."""
    middle = len(token) // 2
    other = "A" if token[middle : middle + 1] != "A" else "B"
    return token[:middle] + other + token[middle + 1 :]
