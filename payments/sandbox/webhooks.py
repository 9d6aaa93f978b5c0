"""Webhooks to the shop, signed by the Standard Webhooks specification as PortOne V2 does."""

import asyncio
import atexit
import base64
import hmac
import json
import logging
from datetime import UTC, datetime
from functools import cache, partial
from urllib.parse import urljoin

import aiohttp
from django.conf import settings

from payments.sandbox import timers
from payments.sandbox.behaviours import Behaviour
from payments.sandbox.models import Cancellation, Payment, Webhook, new_id
from ticketing.core.fast_path.threads import in_thread
from ticketing.core.sql import arows

log = logging.getLogger(__name__)

# PortOne tries five times over hours; shorter here.
RETRY_SECONDS = (1, 5, 30, 120)
MAX_SENDINGS = 1 + len(RETRY_SECONDS)
TIMEOUT, MAX_CONNECTIONS = 10, 20
SENT = """
UPDATE payments_sandbox_webhook
SET status = %(status)s::smallint, sent_at = %(now)s, sendings = sendings + 1
WHERE id = %(id)s::bigint
RETURNING id
"""


def send_webhook(
    payment: Payment, kind: str, *, now: datetime, cancellation: Cancellation | None = None
) -> None:
    """Create a webhook and send it as the payment's behaviour says: late, twice, or never."""
    webhook = Webhook.objects.create(
        payment=payment,
        webhook_id=new_id("msg"),
        kind=kind,
        payment_state=payment.state,
        url=urljoin(payment.origin or settings.SITE_URL, settings.PAYMENTS_SANDBOX_WEBHOOK),
        body=body_of(payment, kind, cancellation, now),
        made_at=now,
        is_lost=payment.behaviour == Behaviour.LOSE_WEBHOOK,
    )
    if webhook.is_lost:
        return
    late = payment.seconds if payment.behaviour == Behaviour.SEND_LATE else 0
    for _ in range(2 if payment.behaviour == Behaviour.SEND_TWICE else 1):
        if late:
            timers.run_later(deliver_later, webhook.pk, seconds=late)
        else:
            timers.run_later(deliver, webhook)


def body_of(payment: Payment, kind: str, cancellation: Cancellation | None, now: datetime) -> str:
    data = {
        "storeId": settings.PORTONE_STORE_ID,
        "paymentId": payment.payment_id,
        "transactionId": payment.transaction_id,
    }
    if cancellation:
        data["cancellationId"] = cancellation.cancellation_id
    return json.dumps({"type": kind, "timestamp": timestamp(now), "data": data})


async def deliver(webhook: Webhook, *, now: datetime) -> None:
    """Send a webhook once, and again later unless the shop answered with success."""
    status = await _post(webhook, now)
    await arows(SENT, {"id": webhook.pk, "status": status, "now": now})
    if not 200 <= status < 300 and webhook.sendings < len(RETRY_SECONDS):
        timers.start(deliver_later, webhook.pk, seconds=RETRY_SECONDS[webhook.sendings])


async def deliver_later(pk: int, *, now: datetime) -> None:
    webhook = await in_thread(Webhook.objects.filter(pk=pk).first)
    if webhook:  # its payment was not removed meanwhile
        await deliver(webhook, now=now)


async def _post(webhook: Webhook, now: datetime) -> int:
    """The status of the shop's response; 0 if there was none."""
    headers = {"content-type": "application/json", **signed(webhook.webhook_id, webhook.body, now)}
    try:
        async with _session().post(webhook.url, data=webhook.body, headers=headers) as answer:
            return answer.status
    except (aiohttp.ClientError, TimeoutError) as error:
        log.warning("%s could not be sent %s: %s", webhook.url, webhook.kind, error)
        return 0


def signed(webhook_id: str, body: str, now: datetime) -> dict[str, str]:
    """The three headers that prove sender and time of the body."""
    stamp = str(int(now.timestamp()))
    key = base64.b64decode(settings.PORTONE_WEBHOOK_SECRET.removeprefix("whsec_"))
    seal = hmac.digest(key, f"{webhook_id}.{stamp}.{body}".encode(), "sha256")
    return {
        "webhook-id": webhook_id,
        "webhook-timestamp": stamp,
        "webhook-signature": f"v1,{base64.b64encode(seal).decode()}",
    }


def timestamp(when: datetime) -> str:
    return when.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@cache
def _session() -> aiohttp.ClientSession:
    """Used in the timers' event loop only. Many webhooks at once wait for a connection."""
    loop = asyncio.get_running_loop()
    session = aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=MAX_CONNECTIONS),
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(sock_connect=TIMEOUT, sock_read=TIMEOUT),
    )
    end = partial(asyncio.run_coroutine_threadsafe, loop=loop)
    atexit.register(lambda: end(session.close()).result(TIMEOUT))
    return session
