"""Sends webhooks again on demand."""

from payments.sandbox import timers, webhooks
from payments.sandbox.errors import MaxWebhookRetries, PaymentNotFound, WebhookNotFound
from payments.sandbox.models import Payment, Webhook


def resend(*, payment_id: str, webhook_id: str | None = None) -> Webhook:
    """Send this webhook or the latest one again, also one that was lost."""
    if not Payment.objects.filter(payment_id=payment_id).exclude(state="REGISTERED").exists():
        raise PaymentNotFound()
    found = Webhook.objects.filter(payment__payment_id=payment_id).order_by("-pk")
    webhook = (found.filter(webhook_id=webhook_id) if webhook_id else found).first()
    if webhook is None:
        raise WebhookNotFound()
    if webhook.sendings >= webhooks.MAX_SENDINGS:
        raise MaxWebhookRetries()
    timers.run_later(webhooks.deliver, webhook)
    return webhook
