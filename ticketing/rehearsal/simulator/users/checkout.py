"""Pays for held seats in the sandbox gateway's window, and gives some tickets back."""

import asyncio
from itertools import count
from typing import TYPE_CHECKING
from urllib.parse import urljoin
from uuid import uuid4

from ticketing.rehearsal.simulator.users.outcomes import UserFinished
from ticketing.rehearsal.simulator.users.responses import Response, csrf_token, redirect_params

if TYPE_CHECKING:
    from ticketing.rehearsal.simulator.users.fan import Fan

OPEN_STATES = frozenset({"PENDING", "PREPARED", "CHARGING", "REFUNDING"})
DELAY_SECONDS = "3"  # of cards that are slow or late
GOOD_CARD = "succeed"


class Checkout:
    def __init__(self, fan: "Fan", reservation: str, token: str) -> None:
        self.fan, self.reservation, self.token = fan, reservation, token
        self.number = ""

    async def run(self) -> None:
        fan = self.fan
        fan.enter_phase("paying")
        state = await self.pay(fan.plan.card_behaviour)
        if state in ("FAILED", "CANCELLED") and fan.plan.has_second_card:
            await fan.pause(fan.rng.uniform(0.5, 3))
            state = await self.pay(GOOD_CARD)
        if state == "SUCCEEDED":
            await self.finish_with_tickets()
        if state == "REFUNDED":
            raise UserFinished("declined", "what was charged was not what was asked, and went back")
        raise UserFinished("declined", "the card was declined")

    async def pay(self, behaviour: str) -> str:
        """Pay with a card; the final state of the payment."""
        await self.begin()
        self.fan.must_finish = True
        try:
            returned = await self.open_window(behaviour)
            if params := redirect_params(returned) if returned else {}:
                if "code" in params:
                    await self.fan.call("GET", urljoin(self.fan.http.url, returned))
                elif state := await self.confirm(params):
                    return state
            return await self.final_state()
        finally:
            self.fan.must_finish = False

    async def begin(self) -> None:
        fan = self.fan
        body = {"reservation": self.reservation, "token": self.token, "payment_key": str(uuid4())}
        for attempt in count():
            clicks = (fan.call("POST", "/api/v1/payments/", json=body) for _ in self._clicks())
            with fan.recorded_if_stopped("pay", reservation=self.reservation):
                responses = await asyncio.gather(*clicks)
            for each in responses:
                number = each.json().get("number") if each.is_ok else None
                fan.record_response("pay", each, reservation=self.reservation, payment=number)
                self.number = number or self.number
            response = next((each for each in responses if each.is_ok), responses[0])
            if not response.asks_to_retry:
                break
            await fan.pause(response.retry_delay(attempt, fan.rng.random()))
        if not response.is_ok:
            raise UserFinished(*_too_late(response))

    def _clicks(self) -> range:
        return range(min(self.fan.plan.clicks, 2))

    # -- the gateway's window ----------------------------------------------------------------------

    async def open_window(self, behaviour: str) -> str:
        """Choose in the gateway's window; the URL that it redirects to, empty if it is gone."""
        fan, attempt = self.fan, 0
        while True:
            data = {"payment": self.number, "behaviour": behaviour}
            with fan.recorded_if_stopped("window", **data):
                response = await self._submit_window(behaviour)
            status = 200 if response.status in (302, 303) else response.status
            data["code"] = response.code
            fan.record("window", response.began, response.ended, status=status, **data)
            if not response.asks_to_retry:
                return str(response.headers.get("Location", ""))
            await fan.pause(response.retry_delay(attempt, fan.rng.random()))
            attempt += 1

    async def _submit_window(self, behaviour: str) -> Response:
        fan = self.fan
        response = await fan.call("GET", f"/payments/{self.number}/window/")
        address = response.headers.get("Location", "")
        if response.status not in (302, 303) or "/sandbox/" not in address:
            return response
        page = await fan.call("GET", address)
        if page.status != 200:
            return page
        headers = fan.headers | {"Referer": fan.http.url}
        form = {
            "csrfmiddlewaretoken": csrf_token(page.body),
            "behaviour": behaviour,
            "seconds": DELAY_SECONDS,
        }
        return await fan.call("POST", address, data=form, headers=headers)

    # -- the outcome ------------------------------------------------------------------------------

    async def confirm(self, params: dict[str, str]) -> str:
        agreed = {
            "payment_token": params.get("paymentToken", ""),
            "transaction_id": params.get("txId", ""),
        }
        path = f"/api/v1/payments/{self.number}/confirm/"
        fan, attempt = self.fan, 0
        while True:
            clicks = (fan.call("POST", path, json=agreed) for _ in self._clicks())
            with fan.recorded_if_stopped("confirm", payment=self.number):
                responses = await asyncio.gather(*clicks)
            for each in responses:
                self._record("confirm", each)
            response = next((each for each in responses if each.is_ok), responses[0])
            if not response.asks_to_retry:
                break
            await fan.pause(response.retry_delay(attempt, fan.rng.random()))
            attempt += 1
        state = str(response.json().get("state", "")) if response.is_ok else ""
        return "" if state in OPEN_STATES else state

    async def final_state(self) -> str:
        attempt = 0
        while True:
            response = await self.fan.call("GET", f"/api/v1/payments/{self.number}/")
            self._record("payment_status", response)
            body = response.json() if response.is_ok else {}
            if body and body["state"] not in OPEN_STATES:
                return str(body["state"])
            if body and body["state"] == "PREPARED" and attempt >= 3:
                return "CANCELLED"  # nobody paid in the window; the user may try again
            wait = (body.get("next_poll_ms") or 1500) / 1000
            await self.fan.pause(wait * self.fan.rng.uniform(0.8, 1.2))
            attempt += 1

    async def finish_with_tickets(self) -> None:
        """End as a buyer, or give the tickets back if that is planned."""
        fan = self.fan
        fan.has_tickets = True
        if not fan.plan.gives_back:
            raise UserFinished("bought", "has tickets")
        await asyncio.sleep(fan.rng.uniform(1, 6))
        fan.must_finish = True
        state = await self.cancel()
        if state in ("REFUNDED", "PARTIALLY_REFUNDED"):
            raise UserFinished("gave_back", "bought, and gave the tickets back")
        raise UserFinished("bought", f"has tickets; giving them back was not possible ({state})")

    async def cancel(self) -> str:
        fan, path = self.fan, f"/api/v1/payments/{self.number}/cancel/"
        attempt = 0
        while True:
            terms = await fan.call("GET", path)
            response = terms
            if terms.is_ok:
                response = await self._give_back(path, terms.json()["fee"])
            self._record("cancel", response)
            if response.is_ok or not (response.asks_to_retry or response.code == "fee_changed"):
                break
            await fan.pause(response.retry_delay(attempt, fan.rng.random()))
            attempt += 1
        state = await self.final_state()  # a call without an answer may have cancelled it, too
        return response.code if state == "SUCCEEDED" and not response.is_ok else state

    async def _give_back(self, path: str, fee: int) -> Response:
        fan = self.fan
        fan.has_tickets = False
        with fan.recorded_if_stopped("cancel", payment=self.number):
            response = await fan.call("POST", path, json={"fee": fee})
        fan.has_tickets = not (response.is_ok or response.asks_to_retry)
        return response

    def _record(self, action: str, response: Response) -> None:
        state = response.json().get("state") if response.is_ok else None
        self.fan.record_response(action, response, payment=self.number, state=state)


def _too_late(response: Response) -> tuple[str, str]:
    if response.code in ("hold_over", "illegal_move", "bad_payment_token"):
        return "expired", "the seats were gone before they were paid"
    return "refused", f"{response.status} {response.code} on paying"
