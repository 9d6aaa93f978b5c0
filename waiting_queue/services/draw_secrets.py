"""The encrypted secrets of draws under a new key."""

from django.db import transaction

from waiting_queue.errors import DrawSecretsUnreadable
from waiting_queue.locks import queue_for_update
from waiting_queue.models import DrawSecrets, SaleQueue, renewed_minute_secrets


def encrypt_secrets(queue: SaleQueue) -> None:
    """Encrypt under the newest key; also what a process of the previous release left in plain text.

    The caller has locked the queue.
    """
    stored = queue.draw_secrets
    secrets = queue.open_draw_secrets() if stored else DrawSecrets(queue.seed, queue.salt)
    queue.draw_secrets, queue.seed, queue.salt = secrets.encrypted(), "", ""
    if queue.minute_secrets:
        queue.minute_secrets = renewed_minute_secrets(queue.minute_secrets)
    queue.save(update_fields=["draw_secrets", "minute_secrets", "seed", "salt"])


def renew_keys() -> tuple[int, list[int]]:
    """Encrypt every queue's secrets again; return how many, and the events where no key fits."""
    renewed, unreadable = 0, []
    for event_id in SaleQueue.objects.order_by("pk").values_list("pk", flat=True):
        try:
            with transaction.atomic():
                encrypt_secrets(queue_for_update(event_id))
            renewed += 1
        except DrawSecretsUnreadable:
            unreadable.append(event_id)
    return renewed, unreadable
