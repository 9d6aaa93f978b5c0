"""The calls of an ordinary sale, each as one statement in the event loop.

They answer what is decided without looking further, and leave everything else (injected faults,
special behaviours, repeats, refusals) to the calls in `views.py`, which have written nothing yet.
"""

from datetime import datetime
from functools import cache
from pathlib import Path
from urllib.parse import urljoin

from django.conf import settings

from payments.sandbox import timers, webhooks
from payments.sandbox.api import serializers
from payments.sandbox.api.fields import Body, flag, text, whole_number
from payments.sandbox.behaviours import SECONDS, Behaviour
from payments.sandbox.idempotency import Answer
from payments.sandbox.models import Payment, Webhook, new_id
from payments.sandbox.services.payment_window import LONGEST_ID
from ticketing.core import clock
from ticketing.core.sql import arows, columns, instance

FOLDER = Path(__file__).parent.parent / "sql"
COLUMNS = columns(Payment, "payment")
PAID = "Transaction.Paid"


async def pre_register(body: Body, payment_id: str, **call: str) -> Answer | None:
    if not call["key"] or len(payment_id) > LONGEST_ID:
        return None
    values = {
        "payment_id": payment_id,
        "amount": whole_number(body, "totalAmount"),
        "currency": text(body, "currency", longest=3),
        "behaviour": Behaviour.SUCCEED.value,
        "seconds": str(SECONDS),
        "now": clock.now(),
        **call,
    }
    return Answer(200, {}) if await arows(statement("pre_register"), values) else None


async def confirm(body: Body, payment_id: str, **call: str) -> Answer | None:
    hook = settings.PAYMENTS_SANDBOX_WEBHOOK
    if not call["key"] or flag(body, "skipWebhook") or flag(body, "isTest") is False:
        return None
    now, paid = clock.now(), Payment(payment_id=payment_id, transaction_id="<transaction>")
    values = {
        "payment_id": payment_id,
        "token": text(body, "paymentToken") or "",
        "amount": whole_number(body, "totalAmount"),
        "currency": text(body, "currency"),
        "transaction_id": text(body, "txId"),
        "now": now,
        "paid_at": webhooks.timestamp(now),
        "webhook_id": new_id("msg"),
        "kind": PAID,
        "webhook_body": webhooks.body_of(paid, PAID, None, now),
        "url": urljoin(settings.SITE_URL, hook),
        "path": hook if hook.startswith("/") else None,
        **call,
    }
    for row in await arows(statement("confirm"), values):
        timers.start(webhooks.deliver, instance(Webhook, row))
        return Answer(200, row["answer"])
    return None


async def payment(body: Body, payment_id: str, **call: str) -> Answer | None:
    for row in await arows(statement("payment"), {"payment_id": payment_id}):
        ledger = serializers.Ledger(
            charged=row["charged"],
            refunded=0,
            webhooks=[
                Webhook(**fields | {"made_at": datetime.fromisoformat(fields["made_at"])})
                for fields in row["webhooks"]
            ],
            cancellations=[],
        )
        return Answer(200, serializers.payment_body(instance(Payment, row), ledger))
    return None


@cache
def statement(name: str) -> str:
    return (FOLDER / f"{name}.sql").read_text().replace("{payment}", COLUMNS)
