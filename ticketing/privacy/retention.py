"""How long each kind of data is kept: which rows are too old, and what becomes of them."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from payments.models import OutboxMessage, Payment, WebhookReceipt
from reservations.models import (
    CheckIn,
    HoldRequest,
    PassMove,
    Reservation,
    StandbyEntry,
    Ticket,
    TransferOffer,
)
from ticketing.accounts import services as accounts
from ticketing.accounts.models import ApiToken, DataExport, Identity, SecurityEvent, User
from ticketing.privacy import selectors
from waiting_queue.models import BlockAppeal, PlaceSignals, QueueJournal

BATCH = 1_000
Rows = Callable[[datetime], QuerySet[Any]]


def delete(ids: list[int], rows: QuerySet[Any]) -> None:
    rows.model._default_manager.filter(pk__in=ids).delete()


def erase_names(ids: list[int], rows: QuerySet[Any]) -> None:
    Ticket.objects.filter(pk__in=ids).update(name=accounts.NOBODY)


@transaction.atomic
def anonymise(ids: list[int], rows: QuerySet[Any]) -> None:
    """Orders of many people belong to one account then: nobody can tell whose were whose."""
    nobody = accounts.anonymous_account()
    Reservation.objects.filter(fan_id__in=ids).update(fan=nobody, key="")
    Payment.objects.filter(fan_id__in=ids).update(fan=nobody)
    StandbyEntry.objects.filter(fan_id__in=ids).update(fan=nobody)
    Ticket.objects.filter(holder_id__in=ids).update(holder=nobody)
    User.objects.filter(pk__in=ids).delete()


@dataclass(frozen=True)
class Rule:
    """`rows`: those that are too old at this time."""

    kind: str
    rows: Rows
    apply: Callable[[list[int], QuerySet[Any]], None] = delete

    def purge_batch(self, now: datetime) -> int:
        """Purge some rows, in a transaction of their own; how many there were."""
        rows = self.rows(now)
        ids = list(rows.order_by("pk").values_list("pk", flat=True)[:BATCH])
        if ids:
            self.apply(ids, rows)
        return len(ids)


def _before(now: datetime, days: int) -> datetime:
    return now - timedelta(days=days)


def _tickets_of_nobody(now: datetime) -> QuerySet[Ticket]:
    theirs = Ticket.objects.filter(holder__deleted_at__isnull=False)
    return theirs.exclude(selectors.is_to_come(now)).exclude(name=accounts.NOBODY)


def _people_long_deleted(now: datetime) -> QuerySet[User]:
    """Counted from the last order: the time that the law gives begins with it.

    Not before their names are off their tickets, which nobody would know as theirs afterwards.
    """
    before = _before(now, 365 * settings.RETENTION_ORDERS_YEARS)
    later = Reservation.objects.filter(fan=OuterRef("pk"), created_at__gte=before)
    named = Ticket.objects.filter(holder=OuterRef("pk")).exclude(name=accounts.NOBODY)
    deleted = User.objects.filter(deleted_at__isnull=False, is_staff=False)
    return deleted.filter(~Exists(later), ~Exists(named))


def _identities_of_nobody(now: datetime) -> QuerySet[Identity]:
    """Kept until the events are over: a new account does not give its owner a second limit."""
    to_come = Reservation.objects.filter(fan=OuterRef("user"), event__starts_at__gt=now)
    return Identity.objects.filter(~Exists(to_come), user__deleted_at__isnull=False)


def _ended_tokens(now: datetime) -> QuerySet[ApiToken]:
    before = _before(now, settings.RETENTION_TOKENS)
    return ApiToken.objects.filter(Q(expires_at__lt=before) | Q(revoked_at__lt=before))


def _since(model: Any, lookup: str, setting: str, **only: Any) -> Rows:
    """Rows whose time is longer ago than the setting says."""
    return lambda now: model.objects.filter(
        **{f"{lookup}__lt": _before(now, getattr(settings, setting))}, **only
    )


RULES = (
    Rule("journal", _since(QueueJournal, "event__starts_at", "RETENTION_JOURNAL")),
    Rule("appeals", _since(BlockAppeal, "queue__event__starts_at", "RETENTION_APPEALS")),
    Rule("check_ins", _since(CheckIn, "event__starts_at", "RETENTION_CHECK_INS")),
    Rule("webhooks", _since(WebhookReceipt, "received_at", "RETENTION_WEBHOOKS")),
    Rule("outbox", _since(OutboxMessage, "delivered_at", "RETENTION_OUTBOX", state="delivered")),
    Rule("dead_messages", _since(OutboxMessage, "created_at", "RETENTION_OUTBOX", state="dead")),
    Rule("requests", _since(HoldRequest, "finished_at", "RETENTION_REQUESTS")),
    Rule("pass_moves", _since(PassMove, "at", "RETENTION_REQUESTS")),
    Rule("transfers", _since(TransferOffer, "ended_at", "RETENTION_TRANSFERS")),
    Rule("security_log", _since(SecurityEvent, "at", "RETENTION_SECURITY_LOG", mail_due_at=None)),
    Rule("admin_log", _since(LogEntry, "action_time", "RETENTION_ADMIN_LOG")),
    Rule("signals", _since(PlaceSignals, "at", "RETENTION_SIGNALS")),
    Rule("tokens", _ended_tokens),
    Rule("exports", lambda now: DataExport.objects.filter(expires_at__lt=now)),
    Rule("identities", _identities_of_nobody),
    Rule("names_on_tickets", _tickets_of_nobody, erase_names),
    Rule("deleted_people", _people_long_deleted, anonymise),
)
