"""Webhooks of the gateway. Their content is not trusted: they only trigger a settlement.

That happens in this process, a moment later; the sender does not wait for it.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F

from payments.errors import BadWebhook
from payments.models import WebhookReceipt
from payments.saga import schedule
from payments.services.async_settlement import wake_settlement
from ticketing.core.json_input import read_json

HEADERS = ("webhook-id", "webhook-timestamp", "webhook-signature")
# Sent before the outcome is decided: no settlement is needed.
UNDECIDED = frozenset({"Transaction.Ready", "Transaction.PayPending"})


@transaction.atomic
def receive_webhook(*, body: bytes, headers: Mapping[str, str], now: datetime) -> bool:
    """Verify and store a webhook, and have its payment settled. False for a repeat."""
    payload = _verified(body, {name: headers.get(name, "") for name in HEADERS})
    data = payload.get("data")
    number = str(data.get("paymentId", ""))[:64] if isinstance(data, dict) else ""
    kind = str(payload.get("type", ""))[:60]
    receipt, is_new = WebhookReceipt.objects.get_or_create(
        webhook_id=headers["webhook-id"][:200],
        defaults={
            "kind": kind,
            "number": number,
            "received_at": now,
            "sent_at": datetime.fromtimestamp(int(headers["webhook-timestamp"]), UTC),
            "body": payload,
        },
    )
    if not is_new:
        WebhookReceipt.objects.filter(pk=receipt.pk).update(repeats=F("repeats") + 1)
    elif kind not in UNDECIDED:
        schedule.settle_soon(number, now)
        transaction.on_commit(wake_settlement, robust=True)
    return is_new


def _verified(body: bytes, headers: Mapping[str, str]) -> dict[str, Any]:
    """The body, if signature and time are valid; kinds that the SDK does not know pass."""
    from portone_server_sdk import webhook as sdk  # slow to load: see gateways

    try:
        text = body.decode()
        sdk.verify(settings.PORTONE_WEBHOOK_SECRET, text, headers)
        payload = read_json(body)
    except (sdk.WebhookVerificationError, sdk.InvalidInputError, ValueError) as error:
        raise BadWebhook() from error
    if not isinstance(payload, dict):
        raise BadWebhook()
    return payload
