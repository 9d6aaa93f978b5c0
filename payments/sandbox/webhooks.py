"""Webhooks to the shop, signed by the Standard Webhooks specification as PortOne V2 does."""

import base64
import hmac
import json
import logging
from datetime import UTC, datetime
from functools import cache
from urllib.parse import urljoin

import httpx
from django.conf import settings
from django.db.models import F

from payments.sandbox import timers
from payments.sandbox.behaviours import Behaviour
from payments.sandbox.models import Cancellation, Payment, Webhook, new_id
from ticketing.core.fast_path.threads import in_thread

log = logging.getLogger(__name__)

# PortOne tries five times over hours; shorter here.
RETRY_SECONDS = (1, 5, 30, 120)
MAX_SENDINGS = 1 + len(RETRY_SECONDS)
TIMEOUT, MAX_CONNECTIONS = 10, 20


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
        body=_body(payment, kind, cancellation, now),
        made_at=now,
        is_lost=payment.behaviour == Behaviour.LOSE_WEBHOOK,
    )
    if webhook.is_lost:
        return
    late = payment.seconds if payment.behaviour == Behaviour.SEND_LATE else 0
    for _ in range(2 if payment.behaviour == Behaviour.SEND_TWICE else 1):
        timers.run_later(deliver, webhook.pk, seconds=late)


def _body(payment: Payment, kind: str, cancellation: Cancellation | None, now: datetime) -> str:
    data = {
        "storeId": settings.PORTONE_STORE_ID,
        "paymentId": payment.payment_id,
        "transactionId": payment.transaction_id,
    }
    if cancellation:
        data["cancellationId"] = cancellation.cancellation_id
    return json.dumps({"type": kind, "timestamp": timestamp(now), "data": data})


async def deliver(pk: int, *, now: datetime) -> None:
    """Send a webhook once, and again later unless the shop answered with success."""
    webhook = await in_thread(Webhook.objects.filter(pk=pk).first)
    if webhook is None:  # its payment was removed meanwhile
        return
    status = await _post(webhook, now)
    await in_thread(_record_sending, webhook, status, now)


def _record_sending(webhook: Webhook, status: int, now: datetime) -> None:
    changes = {"status": status, "sent_at": now, "sendings": F("sendings") + 1}
    Webhook.objects.filter(pk=webhook.pk).update(**changes)
    if not 200 <= status < 300 and webhook.sendings < len(RETRY_SECONDS):
        timers.run_later(deliver, webhook.pk, seconds=RETRY_SECONDS[webhook.sendings])


async def _post(webhook: Webhook, now: datetime) -> int:
    """The status of the shop's response; 0 if there was none."""
    headers = {"content-type": "application/json", **signed(webhook.webhook_id, webhook.body, now)}
    try:
        answer = await _client().post(webhook.url, content=webhook.body, headers=headers)
    except httpx.HTTPError as error:
        log.warning("%s could not be sent %s: %s", webhook.url, webhook.kind, error)
        return 0
    return answer.status_code


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
def _client() -> httpx.AsyncClient:
    """Used in the timers' event loop only. Many webhooks at once wait for a connection."""
    limits = httpx.Limits(max_connections=MAX_CONNECTIONS)
    return httpx.AsyncClient(timeout=httpx.Timeout(TIMEOUT, pool=None), limits=limits)
