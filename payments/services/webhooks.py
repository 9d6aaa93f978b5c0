"""What the gateway tells by itself. Only that something happened is believed; then it is asked."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F

from payments import saga
from payments.errors import BadWebhook
from payments.models import WebhookReceipt

HEADERS = ("webhook-id", "webhook-timestamp", "webhook-signature")
# They announce something, but nothing has been decided.
EARLY = frozenset({"Transaction.Ready", "Transaction.PayPending"})


@transaction.atomic
def receive_webhook(*, body: bytes, headers: Mapping[str, str], now: datetime) -> bool:
    """Verify, remember, and have the payment looked at. Whether it was new."""
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
    elif kind not in EARLY:
        saga.look_soon(number, now)
    return is_new


def _verified(body: bytes, headers: Mapping[str, str]) -> dict[str, Any]:
    """Signature and time, by PortOne's own verifier; it lets kinds pass that it does not know."""
    from portone_server_sdk import webhook as sdk  # takes long to load: see gateways

    try:
        text = body.decode()
        sdk.verify(settings.PORTONE_WEBHOOK_SECRET, text, headers)
    except (sdk.WebhookVerificationError, sdk.InvalidInputError, ValueError) as odd:
        raise BadWebhook() from odd
    payload = json.loads(text)
    if not isinstance(payload, dict):
        raise BadWebhook()
    return payload
