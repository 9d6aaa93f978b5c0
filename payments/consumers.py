"""The websocket of a page that waits for a payment."""

from django.conf import settings
from django.http.cookie import parse_cookie

from payments import selectors
from payments.live.hub import PaymentHub, state_frame
from ticketing.accounts.selectors import acaller
from ticketing.core.errors import NotLoggedIn
from ticketing.core.fast_path.threads import in_thread
from ticketing.core.live.sockets import PushSocket
from ticketing.core.live.subscriber import Subscriber


class PaymentSocket(PushSocket):
    """`ws/payments/{number}/`, for the owner: the present state first, then each new one."""

    subscriber: Subscriber | None = None
    payment_id = 0

    async def connect(self) -> None:
        cookies = parse_cookie(self.headers.get("cookie", ""))
        caller = await acaller(cookies.get(settings.SESSION_COOKIE_NAME))
        if caller is None:
            raise NotLoggedIn()
        whose = {"number": self.scope["url_route"]["kwargs"]["number"], "fan_id": caller.id}
        self.payment_id = (await in_thread(selectors.own_payment, **whose)).pk
        await self.accept()
        self.subscriber = subscriber = Subscriber(self)
        PaymentHub.current().subscribe(self.payment_id, subscriber)
        # Read after subscribing: a change in between is told twice rather than never.
        payment = await in_thread(selectors.own_payment, **whose)
        subscriber.push("payment", state_frame(payment.state))

    def unsubscribe(self) -> None:
        if self.subscriber:
            PaymentHub.current().unsubscribe(self.payment_id, self.subscriber)
            self.subscriber = None
