"""From held seats to tickets, through the gateway's own window."""

import asyncio
from itertools import count
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin
from uuid import uuid4

from ticketing.rehearsal.simulator.users.answers import Answer, csrf_token, told_in
from ticketing.rehearsal.simulator.users.ends import Ended

if TYPE_CHECKING:
    from ticketing.rehearsal.simulator.users.fan import Fan

OPEN = frozenset({"PENDING", "PREPARED", "CHARGING", "REFUNDING"})
LATE_SECONDS = "3"  # of what is slow or late at the gateway
GOOD_CARD = "succeed"


class Paying:
    def __init__(self, fan: "Fan", reservation: str, token: str) -> None:
        self.fan, self.reservation, self.token = fan, reservation, token
        self.number = ""

    async def go(self) -> None:
        fan = self.fan
        fan.at("paying")
        state = await self.pay(fan.plan.behaviour)
        if state in ("FAILED", "CANCELLED") and fan.plan.has_second_card:
            await fan.pause(fan.luck.uniform(0.5, 3))
            state = await self.pay(GOOD_CARD)
        if state == "SUCCEEDED":
            await self.enjoy()
        if state == "REFUNDED":
            raise Ended("declined", "what was charged was not what was asked, and went back")
        raise Ended("declined", "the card was declined")

    async def pay(self, behaviour: str) -> str:
        """What became of the payment."""
        await self.begin()
        self.fan.must_finish = True
        try:
            returned = await self.window(behaviour)
            if told := told_in(returned) if returned else {}:
                if "code" in told:
                    await self.fan.call("GET", urljoin(self.fan.door.url, returned))
                elif state := await self.confirm(told):
                    return state
            return await self.until_known()
        finally:
            self.fan.must_finish = False

    async def begin(self) -> None:
        fan = self.fan
        wish = {"reservation": self.reservation, "token": self.token, "payment_key": str(uuid4())}
        for attempt in count():
            clicks = (fan.call("POST", "/api/v1/payments/", json=wish) for _ in self._clicks())
            answers = await asyncio.gather(*clicks)
            for each in answers:
                number = each.json().get("number") if each.is_good else None
                fan.keep("pay", each, reservation=self.reservation, payment=number)
                self.number = number or self.number
            answer = next((each for each in answers if each.is_good), answers[0])
            if not answer.says_wait:
                break
            await fan.pause(answer.wait_seconds(attempt, fan.luck.random()))
        if not answer.is_good:
            raise Ended(*_too_late(answer))

    def _clicks(self) -> range:
        return range(min(self.fan.plan.clicks, 2))

    # -- the window -------------------------------------------------------------------------------

    async def window(self, behaviour: str) -> str:
        """Where the gateway sends the browser; nothing, if there is no window any more."""
        fan, attempt = self.fan, 0
        while True:
            answer = await self._through_the_window(behaviour)
            saw = {"payment": self.number, "behaviour": behaviour}
            status = 200 if answer.status in (302, 303) else answer.status
            fan.record("window", answer.began, answer.ended, status=status, **saw)
            if not answer.says_wait:
                return str(answer.headers.get("Location", ""))
            await fan.pause(answer.wait_seconds(attempt, fan.luck.random()))
            attempt += 1

    async def _through_the_window(self, behaviour: str) -> Answer:
        fan = self.fan
        answer = await fan.call("GET", f"/payments/{self.number}/window/")
        address = answer.headers.get("Location", "")
        if answer.status not in (302, 303) or "/sandbox/" not in address:
            return answer
        page = await fan.call("GET", address)
        if page.status != 200:
            return page
        cookie = _cookie(page)
        headers = fan.own | {"Cookie": f"{fan.own['Cookie']}; {cookie}", "Referer": fan.door.url}
        form = {
            "csrfmiddlewaretoken": csrf_token(page.body),
            "behaviour": behaviour,
            "seconds": LATE_SECONDS,
        }
        return await fan.call("POST", address, data=form, headers=headers)

    # -- what became of it ------------------------------------------------------------------------

    async def confirm(self, told: dict[str, str]) -> str:
        agreed = {
            "payment_token": told.get("paymentToken", ""),
            "transaction_id": told.get("txId", ""),
        }
        path = f"/api/v1/payments/{self.number}/confirm/"
        fan, attempt = self.fan, 0
        while True:
            clicks = (fan.call("POST", path, json=agreed) for _ in self._clicks())
            answers = await asyncio.gather(*clicks)
            for each in answers:
                self._keep("confirm", each)
            answer = next((each for each in answers if each.is_good), answers[0])
            if not answer.says_wait:
                break
            await fan.pause(answer.wait_seconds(attempt, fan.luck.random()))
            attempt += 1
        state = str(answer.json().get("state", "")) if answer.is_good else ""
        return "" if state in OPEN else state

    async def until_known(self) -> str:
        attempt = 0
        while True:
            answer = await self.fan.call("GET", f"/api/v1/payments/{self.number}/")
            self._keep("ask", answer)
            body = answer.json() if answer.is_good else {}
            if body and body["state"] not in OPEN:
                return str(body["state"])
            if body and body["state"] == "PREPARED" and attempt >= 3:
                return "CANCELLED"  # nobody paid in the window, and it can be tried again
            wait = (body.get("next_poll_ms") or 1500) / 1000
            await self.fan.pause(wait * self.fan.luck.uniform(0.8, 1.2))
            attempt += 1

    async def enjoy(self) -> None:
        """Tickets; some people change their minds even now."""
        fan = self.fan
        fan.has_tickets = True
        if not fan.plan.gives_back:
            raise Ended("bought", "has tickets")
        await asyncio.sleep(fan.luck.uniform(1, 6))
        fan.must_finish = True
        state = await self.cancel()
        if state in ("REFUNDED", "PARTIALLY_REFUNDED"):
            raise Ended("gave_back", "bought, and gave the tickets back")
        raise Ended("bought", f"has tickets; giving them back was not possible ({state})")

    async def cancel(self) -> str:
        fan, path = self.fan, f"/api/v1/payments/{self.number}/cancel/"
        attempt = 0
        while True:
            terms = await fan.call("GET", path)
            answer = terms
            if terms.is_good:
                answer = await self._give_back(path, terms.json()["fee"])
            self._keep("cancel", answer)
            if answer.is_good or not (answer.says_wait or answer.code == "fee_changed"):
                break
            await fan.pause(answer.wait_seconds(attempt, fan.luck.random()))
            attempt += 1
        state = await self.until_known()  # a call that was not answered may have done it, too
        return answer.code if state == "SUCCEEDED" and not answer.is_good else state

    async def _give_back(self, path: str, fee: int) -> Answer:
        """Whoever is sent home meanwhile does not know whether it was done."""
        fan, began = self.fan, self.fan.now()
        fan.has_tickets = False
        try:
            answer = await fan.call("POST", path, json={"fee": fee})
        except asyncio.CancelledError:
            self._keep("cancel", Answer(0, began, fan.now()))
            raise
        fan.has_tickets = not (answer.is_good or answer.says_wait)
        return answer

    def _keep(self, did: str, answer: Answer) -> None:
        state = answer.json().get("state") if answer.is_good else None
        self.fan.keep(did, answer, payment=self.number, state=state)


def _too_late(answer: Answer) -> tuple[str, str]:
    if answer.code in ("hold_over", "illegal_move", "bad_payment_token"):
        return "expired", "the seats were gone before they were paid"
    return "refused", f"{answer.status} {answer.code} on paying"


def _cookie(page: Answer) -> str:
    """The one that belongs to the form."""
    set_cookies: Any = page.headers.getall("Set-Cookie", [])
    return "; ".join(cookie.partition(";")[0] for cookie in set_cookies)
