"""Users who wait together: one of them invites, the others join with the code."""

import asyncio
from typing import TYPE_CHECKING

from ticketing.rehearsal.simulator.users.responses import STANDING

if TYPE_CHECKING:
    from ticketing.rehearsal.simulator.users.fan import Fan

# How long a friend waits for the code before they join the line alone, in a sale of full speed.
CODE_SECONDS = 20.0


class PartyCodes:
    """The code of each party, empty if there is none; known once its leader asked for it."""

    def __init__(self) -> None:
        self._codes: dict[int, asyncio.Future[str]] = {}

    def publish(self, party: int, code: str) -> None:
        if not self._code(party).done():
            self._code(party).set_result(code)

    async def wait(self, party: int, seconds: float) -> str:
        done, _ = await asyncio.wait([self._code(party)], timeout=seconds)
        return self._code(party).result() if done else ""

    def _code(self, party: int) -> asyncio.Future[str]:
        if party not in self._codes:
            self._codes[party] = asyncio.get_running_loop().create_future()
        return self._codes[party]


class PartyMember:
    """What a user does as one of a party; most users are in none."""

    def __init__(self, fan: "Fan") -> None:
        self.fan, self.plan = fan, fan.plan
        self.has_joined = False

    async def invite(self) -> None:
        """Ask for a code and tell the friends; without one they join alone."""
        if self.plan.party is None or not self.plan.leads:
            return
        response = await self.fan.ask("invite", "POST", f"{self.fan.queue}party/")
        code = response.json().get("code") if response.is_ok else ""
        self.has_joined = bool(code)
        self.fan.pool.codes.publish(self.plan.party, code or "")

    async def join(self) -> bool:
        """Join the party of the friend who invites; False if one has to join the line alone."""
        if self.plan.party is None or self.plan.leads:
            return False
        seconds = CODE_SECONDS * self.fan.pool.sale.time_factor
        code = await self.fan.pool.codes.wait(self.plan.party, seconds)
        if not code:
            return False
        response = await self.fan.ask(
            *("join_party", "POST", f"{self.fan.queue}party/join/"),
            names=STANDING,
            json={"code": code},
        )
        self.has_joined = response.is_ok
        return response.is_ok
